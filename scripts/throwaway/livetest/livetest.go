// Package livetest gives the tests of a binary one real Slurm to share.
package livetest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"fairbridge/scripts/throwaway"
)

// startTime is what a cluster may take to start: ten seconds on an idle machine, a minute and more where three start beside a whole
// test run. A daemon that ends at its start is told at once.
const startTime = 10 * time.Minute

// The cluster is not taken down: it ends, and its directory goes, when the test binary ends.
var sharedCluster = sync.OnceValues(func() (*throwaway.Cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	return throwaway.StartSlurm(ctx, "", throwaway.Options{})
})

// SharedCluster returns the running cluster of this test binary, with 4 nodes of 8 GPUs, started at the first call. Tests leave
// it idle: cancel your jobs. Where Slurm cannot run the test is skipped and says why, or fails if
// FAIRBRIDGE_REQUIRE_SLURM=1; it is skipped with -short too.
func SharedCluster(t testing.TB) *throwaway.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real Slurm, which takes ten seconds; not with -short")
	}
	c, err := sharedCluster()
	return clusterOrSkip(t, c, err, os.Getenv("FAIRBRIDGE_REQUIRE_SLURM") == "1")
}

// ClusterOfRelease returns a running cluster of another release of Slurm ("24.11"), with 4 nodes of 8 GPUs, which the test borrows.
// It runs from the root directory that package throwaway finds for it, or, failing that, is a lab that runs. The test is skipped
// where there is neither, and with -short.
func ClusterOfRelease(t testing.TB, release string) *throwaway.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real Slurm, which takes ten seconds; not with -short")
	}
	root, err := throwaway.FindReleaseRoot(release)
	if errors.Is(err, throwaway.ErrUnavailable) && os.Getenv(throwaway.LabVariable) != "" {
		return ClusterInLab(t, release)
	}
	clusterOrSkip(t, nil, err, false)
	return Borrow(t, root)
}

// ClusterInLab returns a running Slurm of another release ("26.05"); the test is skipped where there is none.
func ClusterInLab(t testing.TB, release string) *throwaway.Cluster {
	t.Helper()
	c, err := throwaway.AttachToLab(t.Context(), release)
	clusterOrSkip(t, c, err, false)
	t.Cleanup(func() { _ = c.Stop() })
	return c
}

func clusterOrSkip(t testing.TB, c *throwaway.Cluster, err error, require bool) *throwaway.Cluster {
	t.Helper()
	if errors.Is(err, throwaway.ErrUnavailable) && !require {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// idleClusters are the running clusters that no test uses, by root directory.
var idleClusters = struct {
	sync.Mutex
	byRoot map[string][]*throwaway.Cluster
}{byRoot: map[string][]*throwaway.Cluster{}}

// Borrow returns a running cluster of 4 nodes of 8 GPUs that no other test uses until this one ends. Its
// Slurm is that of a root directory ("": this machine's). A cluster is started where none is idle, so as many
// run as tests that borrow at a time. Leave it idle: cancel your jobs. The cluster of a test that failed is
// stopped, so that the next test does not suffer from it. Where Slurm cannot run the test is skipped and says
// why, or fails if FAIRBRIDGE_REQUIRE_SLURM=1; it is skipped with -short too. No cluster outlives the test binary.
func Borrow(t testing.TB, root string) *throwaway.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real Slurm, which takes ten seconds; not with -short")
	}
	c := takeIdle(root)
	if c == nil {
		ctx, cancel := context.WithTimeout(t.Context(), startTime)
		defer cancel()
		var err error
		c, err = throwaway.StartSlurm(ctx, "", throwaway.Options{SlurmRoot: root})
		c = clusterOrSkip(t, c, err, root == "" && os.Getenv("FAIRBRIDGE_REQUIRE_SLURM") == "1")
	}
	t.Cleanup(func() {
		if t.Failed() {
			_ = c.Stop()
			return
		}
		giveBack(root, c)
	})
	return c
}

func takeIdle(root string) *throwaway.Cluster {
	idleClusters.Lock()
	defer idleClusters.Unlock()
	all := idleClusters.byRoot[root]
	if len(all) == 0 {
		return nil
	}
	idleClusters.byRoot[root] = all[:len(all)-1]
	return all[len(all)-1]
}

func giveBack(root string, c *throwaway.Cluster) {
	idleClusters.Lock()
	defer idleClusters.Unlock()
	idleClusters.byRoot[root] = append(idleClusters.byRoot[root], c)
}
