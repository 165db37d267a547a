package cycle_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// leased returns a rig on which a small job is held by a lease, because a large
// one is ahead of it.
func leased(t *testing.T) (r *rig, small int64) {
	t.Helper()
	r = newRig(t, bridge.ModeSteer, "fifo", nil)
	r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour})
	r.w.Advance(r.w.Now().Add(time.Minute))
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUsPerNode: 8, MinNodes: 2})
	small = r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 4, TimeLimit: 12 * time.Hour, Hold: false})
	r.cycles(4)
	if j := r.job(small); !j.IsPending() || !j.EligibleTime.After(r.w.Now()) {
		t.Fatalf("the small job is not held: %s, eligible %v; sent %v", j.State, j.EligibleTime, r.wire.applied)
	}
	return r, small
}

// TestAPersonsBeginTimeStands: whoever sets a begin time on a job that we lease
// has the last word for a day, whether the next list shows it, only the look
// right before a write does, or it happens between the two.
func TestAPersonsBeginTimeStands(t *testing.T) {
	people := map[string]string{"owner": "new", "administrator": sim.OperatorUser}
	if testing.Short() {
		delete(people, "administrator")
	}
	for name, by := range people {
		for what, in := range map[string]time.Duration{"earlier": time.Minute, "later": 3 * time.Hour} {
			for when, do := range map[string]func(r *rig, id int64, edit func()){
				"in the list":     func(_ *rig, _ int64, edit func()) { edit() },
				"not in the list": func(r *rig, id int64, edit func()) { r.wire.listed = map[int64]slurm.Job{id: r.job(id)}; edit() },
				"before the push": func(r *rig, id int64, edit func()) {
					done := false
					r.wire.between = func(*sim.World) {
						if !done {
							done = true
							edit()
						}
					}
				},
			} {
				t.Run(name+" "+what+" "+when, func(t *testing.T) {
					r, id := leased(t)
					var chosen time.Time
					do(r, id, func() {
						at := r.w.Now().Add(in).Truncate(time.Second)
						if err := r.w.Update(by, id, sim.JobUpdate{BeginTime: &at}); err != nil {
							t.Fatal(err)
						}
						chosen = at
					})
					sent := len(r.wire.applied)
					for range 24 { // twice the life of a lease
						r.cycles(1)
						if j := r.job(id); !chosen.IsZero() && j.IsPending() && !j.EligibleTime.Equal(chosen) {
							t.Fatalf("begin time %v, chosen was %v; sent %v", j.EligibleTime, chosen, r.wire.applied[sent:])
						}
					}
					if chosen.IsZero() {
						t.Fatal("nobody chose anything")
					}
				})
			}
		}
	}
}

// TestADecisionForAnotherJobIsPlannedAnew: a time limit raised between two full
// lists is seen right before the job is written to, and nothing is sent for a
// decision that did not know it.
func TestADecisionForAnotherJobIsPlannedAnew(t *testing.T) {
	r, id := leased(t)
	r.wire.listed = map[int64]slurm.Job{id: r.job(id)}
	limit := 144 * time.Hour
	if err := r.w.Update(sim.OperatorUser, id, sim.JobUpdate{TimeLimit: &limit}); err != nil {
		t.Fatal(err)
	}
	void := false
	r.loop.OnCycleEnd = func(rep *cycle.Report) {
		for i := range rep.Intents {
			in := &rep.Intents[i]
			if in.Edit.Run.Job == id && !void {
				if void = in.State == "VOID"; !void {
					t.Errorf("%v became %s: %s", in.Edit, in.State, in.Error)
				}
			}
		}
	}
	r.cycles(14)
	if !void {
		t.Errorf("the raised limit was never seen; sent %v", r.wire.applied)
	}
	if j := r.job(id); !j.EligibleTime.After(r.w.Now()) {
		t.Error("the job is no longer held, though it may be decided anew with its limit")
	}
}
