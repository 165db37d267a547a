package slurmrun

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/replica/sim"
	"fairbridge/scripts/verify/part"
)

// TestForgettingChangesNothing runs policies that order, hold and stop jobs on a queue of
// hours twice, with the ledger that a daemon keeps and without what no cycle reads any more,
// and wants the same run, with the same edits.
func TestForgettingChangesNothing(t *testing.T) {
	part.Long(t, testing.Short())
	names := []string{"tiresias"}
	if part.Runs("studies") {
		names = append(names, "fairbridge", "fifo")
	}
	for _, name := range names {
		c := Config{PolicyName: name, Nodes: cluster(2), Jobs: stream(40, never), RestartCost: time.Minute}
		c.Policy = decider(t, name)
		fast, _ := counted(t, c)
		c.RunsEveryCycle, c.Policy = true, decider(t, name)
		slow, _ := counted(t, c)
		if fast != slow {
			t.Errorf("%s: a short ledger changed the run:\n%s\nwith the whole one\n%s", name, fast, slow)
		}
	}
}

// TestClosedIntentsAreForgotten wants the ledger of a long run to stay short: no superseded order
// is kept for long after an hour, where a daemon keeps it for a day.
func TestClosedIntentsAreForgotten(t *testing.T) {
	c := Config{PolicyName: "sjf", Policy: decider(t, "sjf"), Nodes: cluster(2), Jobs: stream(40, never)}
	var r *runner
	closed, oldest := 0, time.Duration(0)
	c.AfterCycle = func(w *sim.World) {
		intents, err := r.store.Intents(t.Context(), "", w.Now(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range intents {
			if intents[i].State == bridge.IntentExpired {
				closed++
				oldest = max(oldest, w.Now().Sub(intents[i].Closed))
			}
		}
	}
	r, err := newRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.runToEnd(); err != nil {
		t.Fatal(err)
	}
	if closed == 0 || oldest < 50*time.Minute || oldest > time.Hour+forgetInterval+2*r.LoopConfig.Interval {
		t.Errorf("%d closed intents seen, the oldest %v old; want some, none much older than an hour", closed, oldest)
	}
}
