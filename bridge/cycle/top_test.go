package cycle_test

import (
	"slices"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// bobs is a rig on which jobs of two users are ordered, first come first served.
func bobs(t *testing.T) (r *rig, bob, all []int64) {
	t.Helper()
	return bobsOn(t, campus(), bridge.ModeRank, "fifo", bridge.LeverAuto)
}

// bobsOn is bobs on another cluster, by another policy.
func bobsOn(
	t *testing.T, cluster sim.Config, mode bridge.Mode, policy string, lever bridge.Lever,
) (r *rig, bob, all []int64) {
	t.Helper()
	r = newRigOn(t, cluster, mode, policy, nil)
	r.conf.Order.Lever = lever
	r.restart()
	r.full("")
	for i := range 12 {
		who := sim.JobSpec{User: "bob", Account: "b", GPUs: 8}
		if i%2 == 1 {
			who = sim.JobSpec{User: "ann", Account: "a", GPUs: 8}
		}
		id := r.submit(who)
		if all = append(all, id); who.User == "bob" {
			bob = append(bob, id)
		}
	}
	r.cycles(15) // fair share has been computed since
	return r, bob, all
}

// neutral releases everything and checks that each job has the priority that
// Slurm itself gives: alike but for the nice people gave.
func (r *rig) neutral(ids []int64) {
	r.t.Helper()
	rel := r.releaser()
	found, err := rel.FindReleasable(r.t.Context())
	if err != nil || len(found.Edits) == 0 {
		r.t.Fatalf("nothing to be given back: %v", err)
	}
	if _, err := rel.Release(r.t.Context()); err != nil {
		r.t.Error(err)
	}
	if left, err := rel.FindReleasable(r.t.Context()); err != nil || len(left.Edits) > 0 || len(left.Kept) > 0 {
		r.t.Errorf("of ours stand still: %v %v %v", left.Edits, left.Kept, err)
	}
	own := map[string]int64{}
	for _, id := range ids {
		j := r.job(id)
		sum := j.Priority + j.Nice
		if j.Priority == 1 {
			continue // all the way down by its nice
		}
		if was, ok := own[j.User]; ok && abs(was-sum) > 2 {
			r.t.Errorf("job %d of %s has priority %d with nice %d: %d without, others have %d", id, j.User, j.Priority, j.Nice, sum, was)
		}
		own[j.User] = sum
	}
}

// TestReleaseReachesAJobWhoseOwnerWasPolite: an owner's large nice puts his job
// last while we live, and release leaves no number of ours on it.
func TestReleaseReachesAJobWhoseOwnerWasPolite(t *testing.T) {
	r, bob, all := bobs(t)
	nice := int64(1_000_000)
	if err := r.w.Update("bob", bob[0], sim.JobUpdate{Nice: &nice}); err != nil {
		t.Fatal(err)
	}
	r.cycles(5)
	if p := place(r.w, bob[0]); p != len(all) {
		t.Errorf("with a nice of a million it is number %d of %d", p, len(all))
	}
	r.neutral(all)
	if j := r.job(bob[0]); j.Priority != 1 || j.Nice != nice {
		t.Errorf("job %d: priority %d, nice %d", bob[0], j.Priority, j.Nice)
	}
}

// top is what scontrol top does for a user's job: by nice, computed from the priorities of the moment, it takes the
// priority of the user's first, and the others give what that takes by equal parts, and are below it then.
func top(t *testing.T, w *sim.World, jobs []int64, first int64) {
	t.Helper()
	is := map[int64]slurm.Job{}
	best := int64(0)
	for _, id := range jobs {
		j, err := w.Job(id)
		if is[id] = j; err != nil {
			t.Fatal(err)
		}
		best = max(best, j.Priority)
	}
	given, toGive := best-is[first].Priority, int64(len(jobs)-1)
	lower := map[int64]int64{first: -given}
	for _, id := range jobs {
		if id != first {
			lower[id] = given / toGive
			if is[id].Priority-lower[id] >= best {
				lower[id] = is[id].Priority - best + 1
			}
			given, toGive = given-lower[id], toGive-1
		}
	}
	for id, by := range lower {
		if err := w.Update(sim.OperatorUser, id, sim.JobUpdate{Nice: sim.Ptr(is[id].Nice + by)}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTopLeavesWhatItAloneWouldHaveMade: the order is a nice, and scontrol top deals its numbers out among a user's
// jobs. While we live, or with the next release, these get the nices that top made of them on the same site without
// us, also where lists show a nice only above 0.
func TestTopLeavesWhatItAloneWouldHaveMade(t *testing.T) {
	for _, c := range []struct {
		name, release string
		cycles        int // after the top
	}{
		{"the daemon lives", "24.11.5", 2}, {"the daemon died", "24.11.5", 0},
		{"hidden, the daemon lives", "22.05.8", 4}, {"hidden, the daemon died", "22.05.8", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := campus()
			cluster.Release = c.release
			alone, bob, _ := bobsOn(t, cluster, bridge.ModeObserve, "sjf", bridge.LeverNice)
			r, _, all := bobsOn(t, cluster, bridge.ModeRank, "sjf", bridge.LeverNice)
			for _, x := range []*rig{alone, r} {
				top(t, x.w, bob, bob[len(bob)-1])
				for _, w := range x.cycles(c.cycles).Warnings {
					if w.Cause == bridge.CauseOtherOrder {
						t.Errorf("a person is taken for something else that orders: %v", w.Err)
					}
				}
			}
			if c.cycles == 0 {
				r.wire.showsNices = true // as to every process that has just begun
				r.neutral(all)
			}
			for _, id := range bob {
				got, want := r.job(id), alone.job(id)
				if got.Nice != want.Nice || abs(got.Priority-want.Priority) > 1 {
					t.Errorf("job %d: nice %d, %d without us; priority %d, %d",
						id, got.Nice, want.Nice, got.Priority, want.Priority)
				}
			}
			sent := len(r.wire.applied)
			r.cycles(6)
			for _, e := range r.wire.applied[sent:] {
				if slices.Contains(bob, e.Run.Job) {
					t.Errorf("%v was sent to a job whose owner had moved it", e)
				}
			}
		})
	}
}

// TestTopStaysSmall: the nice that scontrol top leaves is as small as our
// numbers; his order stands among the user's jobs, and release gives ours back.
func TestTopStaysSmall(t *testing.T) {
	r, bob, all := bobs(t)
	r.wire.listed = map[int64]slurm.Job{}
	last := bob[len(bob)-1]
	top(t, r.w, bob, last)
	r.cycles(3)
	for _, id := range bob {
		j := r.job(id)
		if j.Nice < -2_000 || j.Nice > 2_000 {
			t.Errorf("job %d has nice %d, of priorities about %d", id, j.Nice, j.Priority)
		}
		if id != last && j.Priority > r.job(last).Priority {
			t.Errorf("job %d stands before the one its user put on top", id)
		}
	}
	r.neutral(all)
}

// TestAPriorityThatFollowsNothing: an administrator sets a priority directly. Our
// number does nothing to it: the job is left alone, and the site goes on.
func TestAPriorityThatFollowsNothing(t *testing.T) {
	for _, lever := range []bridge.Lever{bridge.LeverSiteFactor, bridge.LeverNice} {
		t.Run(string(lever), func(t *testing.T) {
			r, bob, _ := bobs(t)
			r.conf.Order.Lever = lever
			r.restart()
			r.cycles(4)
			for _, id := range bob[:3] {
				if err := r.w.Update(sim.OperatorUser, id, sim.JobUpdate{Priority: sim.Ptr(int64(1234))}); err != nil {
					t.Fatal(err)
				}
			}
			r.cycles(10)
			sent := len(r.wire.applied)
			if last := r.cycles(20); last.Result == cycle.ResultInDoubt {
				t.Errorf("in doubt: %v", last.Doubts)
			}
			for _, e := range r.wire.applied[sent:] {
				if slices.Contains(bob[:3], e.Run.Job) {
					t.Errorf("%v was sent to a job whose priority an administrator had set", e)
				}
			}
			if _, err := r.releaser().Release(t.Context()); err != nil {
				t.Error(err)
			}
			for _, id := range bob[:3] {
				if p := r.job(id).Priority; p != 1234 {
					t.Errorf("job %d has priority %d, the administrator's was 1234", id, p)
				}
			}
		})
	}
}
