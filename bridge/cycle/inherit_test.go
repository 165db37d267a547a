package cycle_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestReleaseReachesTasksOfArrays: a task that took our number with it into a job
// id of its own, and was then requeued, is given its own priority back, whether
// the daemon saw it start or not, and also when its array has gone by then.
func TestReleaseReachesTasksOfArrays(t *testing.T) {
	for lever, kind := range map[bridge.Lever]slurm.EditKind{bridge.LeverSiteFactor: slurm.EditSiteFactor, bridge.LeverNice: slurm.EditNice} {
		for _, seen := range []bool{true, false} {
			t.Run(fmt.Sprint(lever, " seen ", seen), func(t *testing.T) {
				r := newRig(t, bridge.ModeRank, "drf", nil)
				r.conf.Order.Lever = lever
				r.restart()
				a, b := r.full("")
				array := r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 4, Nice: 3, ArraySize: 9, WorkTime: 20 * time.Hour, TimeLimit: 24 * time.Hour})
				plain := r.job(array)
				r.stand([]bridge.Intent{{
					Edit:   slurm.Edit{Run: plain.CurrentRun(), Kind: kind, Value: 77, Tasks: 9},
					Before: bridge.JobBefore{Eligible: plain.EligibleTime, Begin: plain.EligibleTime, Priority: plain.Priority, Nice: plain.Nice, State: plain.State},
				}})
				for _, id := range []int64{a, b} {
					_ = r.w.Cancel("hog", fmt.Sprint(id))
				}
				r.w.Advance(r.w.Now().Add(2 * time.Minute))
				if seen {
					r.cycles(1)
				}
				if r.requeueTasks(array) == 0 {
					t.Fatal("no task had started")
				}
				r.w.Advance(r.w.Now().Add(time.Second))
				if _, err := r.releaser().Release(t.Context()); err != nil {
					t.Fatal(err)
				}
				r.untouched(array)
			})
		}
	}
}

// requeueTasks requeues every running task of the array, on nodes that take no
// more, and returns how many they are.
func (r *rig) requeueTasks(array int64) int {
	r.t.Helper()
	for _, n := range r.w.Nodes() {
		if err := r.w.DrainNode(n.Name, "test"); err != nil {
			r.t.Fatal(err)
		}
	}
	n := 0
	for _, j := range r.w.Jobs() {
		if j.ArrayJobID == array && j.IsRunning() {
			if err := r.w.Requeue("root", fmt.Sprintf("%d_%d", array, j.ArrayTaskID), true); err != nil {
				r.t.Fatal(err)
			}
			n++
		}
	}
	return n
}

// untouched fails unless every waiting record of the array has its owner's nice of
// 3, and a priority that setting the site factor to 0 does not change.
func (r *rig) untouched(array int64) {
	r.t.Helper()
	r.w.Advance(r.w.Now().Add(5 * time.Minute))
	waiting := 0
	for _, j := range r.w.Jobs() {
		if j.ArrayJobID != array || !j.IsPending() {
			continue
		}
		waiting++
		before := j.Priority
		if err := r.w.Update("root", j.ID, sim.JobUpdate{SiteFactor: new(int64)}); err != nil {
			r.t.Fatal(err)
		}
		if now := r.job(j.ID); j.Nice != 3 || now.Priority != before {
			r.t.Errorf("job %d has nice %d, and %d of priority that were not its own; want nice 3 and 0", j.ID, j.Nice, before-now.Priority)
		}
	}
	if waiting < 2 {
		r.t.Errorf("%d records of the array wait", waiting)
	}
}
