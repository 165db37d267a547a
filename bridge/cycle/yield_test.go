package cycle_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// beside returns a second installation of fairbridge on the rig's Slurm, with a database of its
// own and another policy.
func (r *rig) beside(policyName string) *rig {
	r.t.Helper()
	other := newRig(r.t, bridge.ModeRank, policyName, nil)
	other.w, other.wire.World, other.wire.ShowsSiteFactors = r.w, r.w, r.wire.ShowsSiteFactors
	other.db, other.stops = memstore.New(r.w.Now, nil, 0), filepath.Join(r.t.TempDir(), "STOP")
	other.conf.StopFile = other.stops
	other.restart()
	return other
}

// fillAndWait fills the nodes and lets n jobs of four people wait, the shortest and youngest last.
func (r *rig) fillAndWait(n int) (ids []int64) {
	r.t.Helper()
	for range 2 {
		r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 8, TimeLimit: 40 * time.Hour, WorkTime: 30 * time.Hour})
	}
	for i := range n {
		user := fmt.Sprintf("u%d", i%4)
		r.w.Advance(r.w.Now().Add(time.Hour)) // ages differ, so that numbers go up and down
		ids = append(ids, r.submit(sim.JobSpec{User: user, Account: "y", GPUs: 8, TimeLimit: time.Duration(n+1-i) * time.Hour}))
	}
	return ids
}

// giveBack releases and resigns.
func (r *rig) giveBack() {
	r.t.Helper()
	if err := r.loop.Leadership.Resign(r.t.Context(), "lab", r.conf.DaemonName); err != nil {
		r.t.Fatal(err)
	}
	all := r.releaser()
	if _, err := all.Release(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	if err := all.Resign(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// writesByJob counts what was sent to each job.
func (r *rig) writesByJob() map[int64]int {
	n := map[int64]int{}
	for _, e := range r.wire.applied {
		n[e.Run.Job]++
	}
	return n
}

// saysOtherOrder reports whether the cycle warned of something else that orders jobs.
func saysOtherOrder(r cycle.Report) bool {
	return slices.ContainsFunc(r.Warnings, func(d bridge.Doubt) bool { return d.Cause == bridge.CauseOtherOrder })
}

// siteFactors returns the site factors of waiting jobs.
func (r *rig) siteFactors() map[int64]int64 {
	r.t.Helper()
	v, err := sim.DirectCluster{World: r.w, ShowsSiteFactors: true}.Observe(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	factors := map[int64]int64{}
	for i := range v.Jobs {
		factors[v.Jobs[i].ID] = v.Jobs[i].SiteFactor
	}
	return factors
}

// TestTwoFairbridgesMakePeace: two installations that know nothing of each other want opposite
// orders. Each job has one that numbers it, so that each writes it a few times at most in half
// an hour; the other says what it sees in its log and of the jobs; and after each has
// released, the first once more, nothing of either stands.
func TestTwoFairbridgesMakePeace(t *testing.T) {
	for _, release := range []string{"22.05.8", "24.11.5", "26.05.5"} {
		for _, late := range []int{0, 6} { // cycles that the second starts later
			t.Run(release, func(t *testing.T) {
				r := newRigOn(t, sim.Config{
					ClusterName: "lab", Release: release, Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}, BackfillInterval: -1,
				}, bridge.ModeRank, "fifo", nil)
				r.wire.ShowsSiteFactors = true
				other := r.beside("sjf")
				ids := r.fillAndWait(8)
				r.cycles(late)
				said := false
				for range 60 {
					last := other.loop.Step(t.Context())
					said = said || saysOtherOrder(last)
					said = said || saysOtherOrder(r.cycles(1))
				}
				for _, side := range []*rig{r, other} {
					for id, n := range side.writesByJob() {
						if n > 3 {
							t.Errorf("late %d: job %d was written %d times in half an hour", late, id, n)
						}
					}
				}
				if !said {
					t.Errorf("late %d: neither says that something else changes priorities", late)
				}
				r.giveBack()
				other.giveBack()
				r.giveBack()
				for _, id := range ids {
					if factor, nice := r.siteFactors()[id], r.job(id).Nice; factor != 0 || nice != 0 {
						t.Errorf("late %d: job %d keeps site factor %d, nice %d", late, id, factor, nice)
					}
				}
			})
		}
	}
}

// TestTheOtherOrderIsExplained: the record of a cycle says of each job that something else
// numbers it what that is, the metric counts them, and the warning is over an hour later.
func TestTheOtherOrderIsExplained(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "fifo", nil)
	r.wire.ShowsSiteFactors = true
	ids := r.fillAndWait(6)
	r.cycles(4)
	for i, id := range ids[:3] {
		if err := r.w.Update(sim.OperatorUser, id, sim.JobUpdate{SiteFactor: sim.Ptr(int64(41 + i))}); err != nil {
			t.Fatal(err)
		}
	}
	last := r.cycles(1)
	if !saysOtherOrder(last) {
		t.Fatalf("warnings %v", last.Warnings)
	}
	if why := last.PartitionResults[0].OtherOrderReasonByJob[ids[0]]; !strings.Contains(why, "site factor is 41") && !strings.Contains(why, "site factor is now 41") {
		t.Errorf("job %d: %q", ids[0], why)
	}
	before := len(r.wire.applied)
	r.cycles(20)
	for _, e := range r.wire.applied[before:] {
		if e.Run.Job <= ids[2] && e.Run.Job >= ids[0] {
			t.Errorf("%v was sent to a job that something else orders", e)
		}
	}
	for _, id := range ids[:3] {
		if err := r.w.Update(sim.OperatorUser, id, sim.JobUpdate{SiteFactor: sim.Ptr(int64(0))}); err != nil {
			t.Fatal(err)
		}
	}
	if last := r.cycles(121); saysOtherOrder(last) {
		t.Errorf("it is not over an hour later: %v", last.Warnings)
	}
}

// TestAJobIsLeftAloneForAsLongAsIsSaid: a job whose owner takes back what we set gets
// no edit for as long as the configuration says, and one some time later.
func TestAJobIsLeftAloneForAsLongAsIsSaid(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "srtf", nil)
	r.conf.Order.Lever, r.conf.Budgets.YieldFor = bridge.LeverNice, time.Hour
	r.restart()
	for range 2 {
		r.submit(sim.JobSpec{User: "u", Account: "x", GPUs: 8, TimeLimit: 40 * time.Hour, WorkTime: 30 * time.Hour})
	}
	var ids []int64
	for i := range 8 {
		ids = append(ids, r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, TimeLimit: time.Duration(9-i) * time.Hour}))
	}
	r.cycles(6)
	i := slices.IndexFunc(ids, func(id int64) bool { return r.job(id).Nice != 0 })
	if i < 0 {
		t.Fatal("no job has a number of ours")
	}
	if err := r.w.Update("new", ids[i], sim.JobUpdate{Nice: sim.Ptr(int64(77))}); err != nil {
		t.Fatal(err)
	}
	edits := func() int {
		n := 0
		for _, e := range r.wire.applied {
			if e.Run.Job == ids[i] && e.Kind == slurm.EditNice {
				n++
			}
		}
		return n
	}
	r.cycles(1)
	before := edits()
	if r.cycles(110); edits() != before { // 55 minutes
		t.Errorf("job %d was changed again within the hour", ids[i])
	}
	if r.cycles(30); edits() == before {
		t.Errorf("job %d is left alone for longer than an hour", ids[i])
	}
}
