package cycle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// rewriting makes each change of ours change the job's time limit too, as a job_submit plugin may, so often
// at most; 0: always. It returns the limits that were lost.
func (r *rig) rewriting(most int) *[]int64 {
	var lost []int64
	limit := 17 * time.Minute
	r.wire.lost = func(e slurm.Edit) error {
		if most > 0 && len(lost) >= most {
			return nil
		}
		lost = append(lost, e.Run.Job)
		return r.w.Update(sim.OperatorUser, e.Run.Job, sim.JobUpdate{TimeLimit: &limit})
	}
	return &lost
}

// TestAPluginThatRewritesJobsCostsTwo: after two jobs that lost another value by our edits nothing is sent
// for an hour, and the jobs and what they lost are named.
func TestAPluginThatRewritesJobsCostsTwo(t *testing.T) {
	r, _ := many(t, 30*time.Second, bridge.LeverSiteFactor, 24)
	lost := r.rewriting(0)
	last := r.cycles(60)
	if len(*lost) != 2 {
		t.Errorf("jobs %v lost their limits, want two", *lost)
	}
	if len(last.Doubts) != 1 || last.Doubts[0].Cause != bridge.CauseRewrites || !strings.Contains(last.Doubts[0].Err.Error(), "time limit became") {
		t.Errorf("doubts: %v", last.Doubts)
	}
	r.cycles(70) // over an hour
	if len(*lost) != 4 {
		t.Errorf("jobs %v lost their limits in two hours, want four", *lost)
	}
	r.wire.lost = nil
	if last := r.cycles(130); len(last.Doubts) > 0 {
		t.Errorf("when it is over: %v", last.Doubts)
	}
}

// TestChangesAtThatMomentAreNoPlugin: two people changed a job each right when we did, but different fields.
func TestChangesAtThatMomentAreNoPlugin(t *testing.T) {
	r, ids := many(t, 30*time.Second, bridge.LeverSiteFactor, 24)
	mine := "mine"
	r.rewriting(1)
	rewrite, edits := r.wire.lost, 0
	r.wire.lost = func(e slurm.Edit) error {
		if edits++; edits == 2 {
			return r.w.Update(r.job(e.Run.Job).User, e.Run.Job, sim.JobUpdate{Comment: &mine})
		}
		return rewrite(e)
	}
	last := r.cycles(6)
	if len(last.Doubts) > 0 || len(last.Warnings) != 1 || last.Warnings[0].Cause != bridge.CauseRewrites {
		t.Errorf("doubts %v, warnings %v", last.Doubts, last.Warnings)
	}
	if n := r.standing(); n < len(ids)-2 {
		t.Errorf("%d values stand", n)
	}
	if last := r.cycles(121); len(last.Warnings) > 0 {
		t.Errorf("an hour later: %v", last.Warnings)
	}
}

// TestARestartForgetsNoRewrites: a daemon that starts anew sends nothing while the one before
// would not have.
func TestARestartForgetsNoRewrites(t *testing.T) {
	r, _ := many(t, 30*time.Second, bridge.LeverSiteFactor, 24)
	lost := r.rewriting(0)
	r.cycles(10)
	for range 5 {
		r.restart()
		if last := r.cycles(10); len(last.Doubts) != 1 || last.Doubts[0].Cause != bridge.CauseRewrites {
			t.Errorf("doubts after a restart: %v", last.Doubts)
		}
	}
	if len(*lost) != 2 {
		t.Errorf("jobs %v lost their limits, want two", *lost)
	}
}

// TestAnOwnerWhoChangesJobsInALoopConcernsNobodyElse: one person changes each of the own jobs in the
// very moment we do. Those are left alone, everybody else's are ordered, and it is over an hour
// after the last.
func TestAnOwnerWhoChangesJobsInALoopConcernsNobodyElse(t *testing.T) {
	r, ids := many(t, 30*time.Second, bridge.LeverSiteFactor, 24)
	r.conf.Budgets.MaxEdits, r.conf.Budgets.EditFloor = 1, 1 // each is the first of its cycle, and looked at
	r.restart()
	changed, limit := map[int64]bool{}, 17*time.Minute
	r.wire.lost = func(e slurm.Edit) error {
		if j := r.job(e.Run.Job); j.User == "u3" {
			changed[j.ID] = true
			return r.w.Update("u3", j.ID, sim.JobUpdate{TimeLimit: &limit})
		}
		return nil
	}
	last := r.cycles(60)
	if len(last.Doubts) > 0 {
		t.Fatalf("doubts %v", last.Doubts)
	}
	if !slices.ContainsFunc(last.Warnings, func(d bridge.Doubt) bool {
		return d.Cause == bridge.CauseRewrites && strings.Contains(d.Err.Error(), "of u3")
	}) {
		t.Errorf("warnings %v", last.Warnings)
	}
	if len(changed) != 2 {
		t.Errorf("jobs %v of the owner were changed, want two", changed)
	}
	if n := r.standing(); n < len(ids)-4 { // three are the owner's, one may need no number
		t.Errorf("%d values stand", n)
	}
	r.wire.lost = nil
	if last := r.cycles(121); len(last.Warnings) > 0 || len(changed) != 2 {
		t.Errorf("an hour later: %v; %v", last.Warnings, changed)
	}
}
