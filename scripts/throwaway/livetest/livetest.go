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
