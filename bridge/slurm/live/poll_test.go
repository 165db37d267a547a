package live_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/gear/bridgetest"
	"fairbridge/scripts/throwaway"
	"fairbridge/scripts/throwaway/livetest"
)

// On a live Slurm whose queue moves, a client that reads little must show
// what one that always reads everything shows.
func TestLiveIncrementalEqualsFull(t *testing.T) {
	for _, release := range []string{"24.11", "26.05"} { // older ones have no other way than the full list
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			compare(t, livetest.ClusterOfRelease(t, release))
		})
	}
}

func compare(t *testing.T, c *throwaway.Cluster) {
	cfg := rest.Config{URL: c.URL, TokenFile: c.TokenFile}
	little := open(t, cfg, rest.PollConfig{FullEvery: time.Hour, Few: 100, FewPercent: 100, FullPause: time.Hour})
	all := open(t, cfg, rest.PollConfig{FullEvery: -1}) // slurmctld tells whole seconds: 0 of them may have passed
	w := writer.New(little, writer.Config{CheckMayWrite: func(context.Context) error { return nil }})
	both := live.New(little, w)
	rng := rand.New(rand.NewPCG(1, 2))
	t.Cleanup(func() { _, _ = c.Run(context.Background(), "", "scancel", "--name="+ours) })
	incremental := 0
	for round := range 12 {
		shake(t, c, both, rng)
		got, want, ok := pair(t, both, all)
		if !ok {
			t.Logf("round %d: the queue did not keep still", round)
			continue
		}
		if !got.IsFullRead {
			incremental++
		}
		if diff := cmp.Diff(bridgetest.WithoutForecasts(want.Jobs), bridgetest.WithoutForecasts(got.Jobs)); diff != "" {
			t.Fatalf("round %d (full %v): %s", round, got.IsFullRead, diff)
		}
	}
	if incremental < 6 {
		t.Errorf("only %d of 12 polls were incremental", incremental)
	}
}

// pair polls both ways while the queue keeps still, which a full list before
// and after shows.
func pair(t *testing.T, little, all interface {
	Observe(context.Context) (*slurm.View, error)
}) (got, want *slurm.View, ok bool) {
	for range 100 {
		before := view(t, all)
		got = view(t, little)
		want = view(t, all)
		if !before.IsFullRead || !want.IsFullRead {
			t.Fatal("the list to compare with is not a whole one")
		}
		if cmp.Equal(bridgetest.WithoutForecasts(before.Jobs), bridgetest.WithoutForecasts(want.Jobs)) {
			return got, want, true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, nil, false
}

// ours is the name of the jobs that are moved: others may use the cluster too.
const ours = "fairbridge-poll-test"

// shake does something that moves the queue.
func shake(t *testing.T, c *throwaway.Cluster, w *live.Cluster, rng *rand.Rand) {
	t.Helper()
	user := []string{"alice", "bob"}[rng.IntN(2)]
	submit := []string{"sbatch", "--chdir=/tmp", "--output=/dev/null", "--time=5", "--partition=low", "--requeue", "--job-name=" + ours}
	run := func(user string, argv ...string) { _, _ = c.Run(t.Context(), user, argv...) }
	run(user, append(submit, "--gres=gpu:1", fmt.Sprintf("--wrap=sleep %d", rng.IntN(4)))...)
	run(user, append(submit, "--array=0-5%2", "--wrap=sleep 2")...)
	run(user, append(submit, "--hold", "--wrap=sleep 60")...)
	v := view(t, w)
	for i, j := range v.Jobs {
		if j.Name != ours {
			continue
		}
		switch pick := rng.IntN(12); {
		case pick == 0 && j.IsPending() && !j.IsHeld && !j.IsUnsplitArray():
			_ = w.ApplyEdit(t.Context(), slurm.Edit{Run: v.Jobs[i].CurrentRun(), Kind: slurm.EditNice, Value: int64(rng.IntN(50))})
		case pick == 1 && j.State == "RUNNING":
			run("", "scontrol", "requeue", "Incomplete", address(j))
		case pick == 2:
			run("", "scancel", address(j))
		case pick == 3 && j.IsPending() && !j.IsHeld && j.HetJobID == 0:
			_ = w.ApplyEdit(t.Context(), slurm.Edit{Run: v.Jobs[i].CurrentRun(), Kind: slurm.EditExcludeNodes, Nodes: []string{"n2"}})
		}
	}
	time.Sleep(time.Duration(rng.IntN(2500)) * time.Millisecond)
}

func address(j slurm.Job) string {
	if j.IsArrayTask {
		return fmt.Sprintf("%d_%d", j.ArrayJobID, j.ArrayTaskID)
	}
	return fmt.Sprint(j.ID)
}

func open(t *testing.T, cfg rest.Config, p rest.PollConfig) *rest.Client {
	t.Helper()
	c, err := rest.Open(t.Context(), cfg, p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func view(t *testing.T, c interface {
	Observe(context.Context) (*slurm.View, error)
}) *slurm.View {
	t.Helper()
	v, err := c.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range v.Warnings {
		t.Errorf("warning of Slurm: %s", w)
	}
	return v
}
