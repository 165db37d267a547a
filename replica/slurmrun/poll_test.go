package slurmrun

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/replica/sim"
)

// polledWorld is a cluster of one node, on a release.
func polledWorld(t *testing.T, release string) *polledCluster {
	t.Helper()
	w, err := sim.New(sim.Config{Release: release, Nodes: []sim.Node{{Name: "n1", CPUs: 8, MemMB: 8_000, GPUs: []sim.GPUs{{Type: "a100", Count: 8}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return &polledCluster{DirectCluster: sim.DirectCluster{World: w}, interval: 30 * time.Second, writeCount: new(int)}
}

// isWhole lets time pass and reports whether the next poll reads everything.
func (c *polledCluster) isWhole(t *testing.T, after time.Duration) bool {
	t.Helper()
	for to := c.World.Now().Add(after); c.World.Step(to); {
	}
	v, err := c.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v.IsFullRead
}

func TestPollsReadWholeListFirstWhenOldAndWhenAsked(t *testing.T) {
	c := polledWorld(t, "24.11.5")
	for i, step := range []struct {
		after     time.Duration
		requested bool
		want      bool
	}{
		{0, false, true}, {30 * time.Second, false, false}, {30 * time.Second, true, true}, {30 * time.Second, false, false},
		{4 * time.Minute, false, false}, {30 * time.Second, false, true},
	} {
		if step.requested {
			c.RequestFullRead()
		}
		if got := c.isWhole(t, step.after); got != step.want {
			t.Errorf("poll %d: whole list %v, want %v", i, got, step.want)
		}
	}
}

func TestPollsOfReleasesWithoutStatesReadAll(t *testing.T) {
	c := polledWorld(t, "22.05.8")
	for range 3 {
		if !c.isWhole(t, 30*time.Second) {
			t.Error("22.05 lists no states: every poll is a whole list")
		}
	}
}

// The reason of a job that waits for another's end passes with it, which its state does not show.
func TestPollReadsWholeListAfterEndThatJobWaitsFor(t *testing.T) {
	c := polledWorld(t, "24.11.5")
	first, err := c.World.Submit(sim.JobSpec{GPUs: 1, WorkTime: 70 * time.Second, TimeLimit: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.World.Submit(sim.JobSpec{GPUs: 1, WorkTime: time.Hour, Dependency: fmt.Sprintf("afterany:%d", first)}); err != nil {
		t.Fatal(err)
	}
	var whole []bool
	for range 4 {
		whole = append(whole, c.isWhole(t, 30*time.Second))
	}
	if !whole[0] || whole[1] || !whole[2] && !whole[3] {
		t.Errorf("whole lists %v, want the first and the one after the end", whole)
	}
}
