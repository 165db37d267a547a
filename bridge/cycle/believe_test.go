package cycle_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// standing counts the intents whose effect is, by the ledger, in Slurm.
func (r *rig) standing() int { return r.inState(bridge.IntentObserved) }

// intents returns the ledger.
func (r *rig) intents() []bridge.Intent {
	r.t.Helper()
	all, err := r.db.Intents(r.t.Context(), "lab", r.w.Now(), time.Time{})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

// inState counts the intents of the ledger that are in the state.
func (r *rig) inState(state bridge.IntentState) (n int) {
	r.t.Helper()
	for _, in := range r.intents() {
		if in.State == state {
			n++
		}
	}
	return n
}

// steered brings a rig to where many jobs wait and carry something of ours.
func steered(t *testing.T, lever bridge.Lever) (r *rig, ids []int64) {
	r = newRig(t, bridge.ModeRank, "drf", nil)
	r.conf.Order.Lever = lever
	r.restart()
	r.full("")
	for range 12 {
		ids = append(ids, r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, Nice: 100}))
	}
	r.cycles(6)
	if n := r.standing(); n < len(ids)-1 { // one may be in its place as it is
		t.Fatalf("only %d values stand", n)
	}
	return r, ids
}

// doubted checks that nothing followed from the last views.
func (r *rig) doubted(last cycle.Report, sent, standing int) {
	r.t.Helper()
	if last.Result != cycle.ResultInDoubt || last.Doubts[0].Cause != bridge.CauseUnbelievedView {
		r.t.Errorf("%s, doubts %v", last.Result, last.Doubts)
	}
	if n := len(r.wire.applied); n != sent {
		r.t.Errorf("sent %v", r.wire.applied[sent:])
	}
	if n := r.standing(); n != standing {
		r.t.Errorf("%d values stand by the ledger, there were %d", n, standing)
	}
}

// TestAShorterListExpiresNothing: a list that leaves jobs out, once or for long,
// after a good poll, a failed one or a restart, is seen to be wrong. No value of
// ours is forgotten.
func TestAShorterListExpiresNothing(t *testing.T) {
	lies := map[string]func(*slurm.View){"empty": emptied, "filtered": filtered(2), "one job": filtered(9)}
	before := map[string]func(*rig){
		"after a good poll": func(*rig) {},
		"after a failed poll": func(r *rig) {
			r.wire.observe = &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld does not answer"}
			r.cycles(1)
			r.wire.observe = nil
		},
		"after a restart": (*rig).restart,
	}
	for lie, spoil := range lies {
		for when, do := range before {
			t.Run(lie+" "+when, func(t *testing.T) {
				r, _ := steered(t, bridge.LeverSiteFactor)
				standing, sent := r.standing(), len(r.wire.applied)
				do(r)
				r.wire.spoil = spoil
				for range 4 {
					r.doubted(r.cycles(1), sent, standing)
				}
				r.wire.spoil = nil
				r.cycles(1)
				if n := r.standing(); n != standing {
					t.Errorf("%d values stand afterwards, there were %d", n, standing)
				}
			})
		}
	}
}

// TestReleaseGivesBackInSpiteOfShortLists: after an empty list, and while the
// list is empty, release gives back whatever is ours.
func TestReleaseGivesBackInSpiteOfShortLists(t *testing.T) {
	for name, heal := range map[string]bool{"after it": true, "during it": false} {
		t.Run(name, func(t *testing.T) {
			r, ids := steered(t, bridge.LeverSiteFactor)
			r.wire.spoil = emptied
			r.cycles(1)
			if heal {
				r.wire.spoil = nil
			}
			out, err := r.releaser().Release(t.Context())
			if err != nil || len(out.Edits) < len(ids)-1 {
				t.Errorf("gave back %d of %d: %v", len(out.Edits), len(ids), err)
			}
			for _, id := range ids { // alike but for our numbers
				if j := r.job(id); abs(j.Priority-r.job(ids[0]).Priority) > 5 {
					t.Errorf("job %d still has our number: priority %d", id, j.Priority)
				}
			}
		})
	}
}

func abs(v int64) int64 { return max(v, -v) }

// TestNiceDoesNotCompound: our nice goes on top of the owner's once, however often
// the list is empty in between.
func TestNiceDoesNotCompound(t *testing.T) {
	r, ids := steered(t, bridge.LeverNice)
	least := int64(0)
	for _, id := range ids {
		least = min(least, r.job(id).Nice)
	}
	for range 4 {
		r.wire.spoil = emptied
		r.cycles(1)
		r.wire.spoil = nil
		r.cycles(4)
	}
	for _, id := range ids {
		if j := r.job(id); j.Nice < least {
			t.Errorf("job %d has nice %d, the lowest was %d: ours more than once", id, j.Nice, least)
		}
	}
	if _, err := r.releaser().Release(t.Context()); err != nil {
		t.Error(err)
	}
	for _, id := range ids {
		if j := r.job(id); j.Nice != 100 {
			t.Errorf("job %d has nice %d afterwards, its owner's is 100", id, j.Nice)
		}
	}
}

// TestClocksThatAreOffLeaveNoTrace: one poll dated ahead or behind records
// nothing, and the next good one goes on.
func TestClocksThatAreOffLeaveNoTrace(t *testing.T) {
	for _, by := range []time.Duration{30 * 24 * time.Hour, 24 * time.Hour, time.Minute, -time.Minute, -24 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			r := newRig(t, bridge.ModeRank, "drf", nil)
			r.submit(sim.JobSpec{User: "ann", Account: "x", GPUs: 8, WorkTime: time.Hour})
			r.cycles(3)
			r.wire.spoil = clockOff(by)
			r.doubted(r.cycles(1), 0, 0)
			r.wire.spoil = nil
			if last := r.cycles(150); len(last.Doubts) > 0 {
				t.Errorf("in doubt afterwards: %v", last.Doubts)
			}
			used := gpuHours(r)
			if math.Abs(used-8) > 0.2 {
				t.Errorf("%.2f GPU-hours on the books, the job had 8.00", used)
			}
		})
	}
}

// gpuHours is the recorded usage of all accounts, hardly decayed.
func gpuHours(r *rig) (sum float64) {
	r.t.Helper()
	past, err := r.db.Past(r.t.Context(), "lab", r.w.Now())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, u := range past.Users {
		sum += float64(u.UsedService) / 3600
	}
	return sum
}

// formatClockTime is a database with a clock of its own.
type formatClockTime struct {
	*memstore.Store
	now func() time.Time
}

func (c formatClockTime) Clock(context.Context) (time.Time, error) { return c.now(), nil }

// TestAllClocksWrongTogether: one host, one clock, and it was ahead for a while.
// What was dated by it is believed then, and no longer once it is put right.
func TestAllClocksWrongTogether(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.submit(sim.JobSpec{User: "ann", Account: "x", GPUs: 8, WorkTime: time.Hour})
	r.cycles(3)
	const ahead = 30 * 24 * time.Hour
	var by time.Duration
	parts := r.parts()
	parts.Now = func() time.Time { return r.w.Now().Add(by) }
	parts.History = formatClockTime{r.db, parts.Now}
	l, err := cycle.New(r.conf, parts)
	if err != nil {
		t.Fatal(err)
	}
	r.loop, by, r.wire.spoil = l, ahead, clockOff(ahead)
	if last := r.cycles(3); len(last.Doubts) > 0 {
		t.Fatalf("with all clocks ahead: %v", last.Doubts)
	}
	by, r.wire.spoil = 0, nil
	if last := r.cycles(1); last.Result != cycle.ResultInDoubt || !strings.Contains(fmt.Sprint(last.Doubts), "still to come") {
		t.Errorf("the moment it is put right: %s %v", last.Result, last.Doubts)
	}
	if last := r.cycles(150); len(last.Doubts) > 0 {
		t.Errorf("afterwards: %v", last.Doubts)
	}
	if used := gpuHours(r); math.Abs(used-8) > 0.2 {
		t.Errorf("%.2f GPU-hours on the books, the job had 8.00", used)
	}
}

// TestACutNodeListIsNeverBelieved: however long it lasts, unless Slurm says of
// each node that it is gone.
func TestACutNodeListIsNeverBelieved(t *testing.T) {
	for when, do := range map[string]func(*rig){"after a good poll": func(*rig) {}, "after a restart": (*rig).restart} {
		t.Run(when, func(t *testing.T) {
			r, _ := steered(t, bridge.LeverSiteFactor)
			do(r)
			sent, standing := len(r.wire.applied), r.standing()
			r.wire.spoil = cutNodes(1)
			for range 20 {
				r.doubted(r.cycles(1), sent, standing)
			}
		})
	}
	t.Run("removed", func(t *testing.T) {
		r, _ := steered(t, bridge.LeverSiteFactor)
		r.wire.spoil, r.wire.removed = cutNodes(1), map[string]bool{"n2": true}
		doubts := 0
		for range 8 {
			if len(r.cycles(1).Doubts) > 0 {
				doubts++
			}
		}
		if doubts != 2 {
			t.Errorf("in doubt for %d polls, want 2: the third in a row is believed", doubts)
		}
	})
}

// TestJobsThatAreReallyGone: many ended while nothing was polled, and Slurm has
// forgotten them. Slurm is asked about each, and the third poll is believed.
func TestJobsThatAreReallyGone(t *testing.T) {
	r, ids := steered(t, bridge.LeverSiteFactor)
	for _, id := range ids {
		if err := r.w.Cancel("new", fmt.Sprint(id)); err != nil {
			t.Fatal(err)
		}
	}
	r.w.Advance(r.w.Now().Add(time.Hour))
	if last := r.cycles(2); last.Result != cycle.ResultInDoubt || !strings.Contains(fmt.Sprint(last.Doubts), "as Slurm says of each") {
		t.Errorf("%s %v", last.Result, last.Doubts)
	}
	if last := r.cycles(1); len(last.Doubts) > 0 || r.standing() > 0 {
		t.Errorf("third poll: %v, %d values stand", last.Doubts, r.standing())
	}
}

// TestAnUnnamedClusterIsNotWrittenTo: where nobody knows which cluster it is.
func TestAnUnnamedClusterIsNotWrittenTo(t *testing.T) {
	for mode, doubt := range map[bridge.Mode]bool{bridge.ModeRank: true, bridge.ModeObserve: false} {
		r := newRig(t, mode, "drf", nil)
		r.wire.spoil = func(v *slurm.View) { v.Cluster, v.UnprovenClusterReason = "", "scontrol is not there" }
		r.full("")
		r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
		r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
		last := r.cycles(5)
		told := last.Warnings
		if doubt {
			told = last.Doubts
		}
		if len(r.wire.applied) > 0 || len(told) != 1 || told[0].Cause != bridge.CauseUnnamedCluster || (last.Result == cycle.ResultInDoubt) != doubt {
			t.Errorf("%s: %s, doubts %v, warnings %v, sent %v", mode, last.Result, last.Doubts, last.Warnings, r.wire.applied)
		}
	}
}
