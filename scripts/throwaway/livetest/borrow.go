package livetest

import (
	"context"
	"os"
	"sync"
	"testing"

	"fairbridge/scripts/throwaway"
)

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
