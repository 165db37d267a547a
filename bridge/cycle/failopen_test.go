package cycle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// campus is a cluster with two QOS, small against fair share as sites have them.
func campus() sim.Config {
	return sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}},
		BackfillInterval: -1, FullPassInterval: 30 * time.Second,
		PriorityWeights: sim.PriorityWeights{Age: 1_000, FairShare: 3_000, PointsByQOS: map[string]float64{"normal": 0, "high": 4_000}},
	}
}

// queue fills the cluster and puts 24 jobs of four accounts in line, whose use
// of the cluster so far differs.
func queue(t *testing.T, w *sim.World, submit func(sim.JobSpec) int64) (ids []int64) {
	t.Helper()
	for i := range 4 { // use of the past: 0, 1, 2, 3 hours of a node
		if i > 0 {
			submit(sim.JobSpec{User: fmt.Sprint("u", i), Account: fmt.Sprint("a", i), GPUs: 8, WorkTime: time.Duration(i) * time.Hour, TimeLimit: 4 * time.Hour})
		}
	}
	w.Advance(w.Now().Add(6 * time.Hour))
	for range 2 {
		submit(sim.JobSpec{User: "hog", Account: "h", GPUs: 8, WorkTime: 3 * time.Hour, TimeLimit: 4 * time.Hour})
	}
	w.Advance(w.Now().Add(time.Minute))
	for i := range 24 {
		ids = append(ids, submit(sim.JobSpec{User: fmt.Sprint("u", i%4), Account: fmt.Sprint("a", i%4), GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute}))
		w.Advance(w.Now().Add(10 * time.Second))
	}
	return ids
}

// place returns where in Slurm's own line the job stands, from 1.
func place(w *sim.World, id int64) int {
	at, mine := 1, slurm.Job{}
	for _, j := range w.Jobs() {
		if j.ID == id {
			mine = j
		}
	}
	for _, j := range w.Jobs() {
		if j.IsPending() && (j.Priority > mine.Priority || j.Priority == mine.Priority && j.ID < id) {
			at++
		}
	}
	return at
}

// newcomers submits a job of QOS high, and one of QOS normal for each of the
// accounts that use more and more, and returns their places in line.
func newcomers(w *sim.World, submit func(sim.JobSpec) int64) (high int, normal []int) {
	h := submit(sim.JobSpec{User: "u3", Account: "a3", QOS: "high", GPUs: 8, WorkTime: time.Hour, TimeLimit: time.Hour})
	var ids []int64
	for i := range 4 {
		ids = append(ids, submit(sim.JobSpec{User: fmt.Sprint("u", i), Account: fmt.Sprint("a", i), GPUs: 8, WorkTime: time.Hour, TimeLimit: time.Hour}))
	}
	w.Advance(w.Now().Add(time.Minute))
	for _, id := range ids {
		normal = append(normal, place(w, id))
	}
	return place(w, h), normal
}

// TestTheOrderIsFailOpen kills the loop for good in the middle of its work. A
// job of a higher QOS that comes later starts before all we ordered, and one of
// the same QOS stands about where Slurm alone would have put it.
func TestTheOrderIsFailOpen(t *testing.T) {
	alone, err := sim.New(campus())
	if err != nil {
		t.Fatal(err)
	}
	enter := func(s sim.JobSpec) int64 { id, _ := alone.Submit(s); return id }
	queue(t, alone, enter)
	alone.Advance(alone.Now().Add(40 * 30 * time.Second))
	_, want := newcomers(alone, enter)
	for _, lever := range []bridge.Lever{bridge.LeverSiteFactor, bridge.LeverNice, bridge.LeverPriority} {
		t.Run(string(lever), func(t *testing.T) {
			r := newRigOn(t, campus(), bridge.ModeRank, "fifo", nil)
			r.conf.Order.Lever = lever
			r.restart()
			ids := queue(t, r.w, r.submit)
			r.cycles(40)
			if !slices.IsSortedFunc(ids, func(a, b int64) int { return int(r.job(b).Priority - r.job(a).Priority) }) {
				t.Error("our order, first come first served, does not stand")
			}
			r.loop = nil // kill -9
			high, normal := newcomers(r.w, r.submit)
			t.Logf("places after our death: high %d, normal %v (Slurm alone %v) of 29", high, normal, want)
			if high != 1 {
				t.Errorf("the job of QOS high is number %d in line", high)
			}
			if off := apart(normal, want); off > 6 && lever != bridge.LeverPriority || off > 10 {
				t.Errorf("the jobs of QOS normal are numbers %v in line, with Slurm alone %v: %d places off", normal, want, off)
			}
		})
	}
}

// apart returns how many places off the numbers are on average.
func apart(a, b []int) int {
	sum := 0
	for i := range a {
		sum += max(a[i]-b[i], b[i]-a[i])
	}
	return sum / len(a)
}

// TestOverrideOrdersAcrossQOS: only by choice.
func TestOverrideOrdersAcrossQOS(t *testing.T) {
	for strength, first := range map[bridge.OrderStrength]string{bridge.StrengthWithinQOS: "high", bridge.StrengthBlend: "high", bridge.StrengthOverride: "normal"} {
		r := newRigOn(t, campus(), bridge.ModeRank, "fifo", nil)
		r.conf.Order.Strength = strength
		r.restart()
		r.full("")
		early := r.submit(sim.JobSpec{User: "u1", Account: "a1", QOS: "normal", GPUs: 8})
		r.w.Advance(r.w.Now().Add(time.Minute))
		late := r.submit(sim.JobSpec{User: "u2", Account: "a2", QOS: "high", GPUs: 8})
		r.cycles(6)
		got := "normal"
		if r.job(late).Priority > r.job(early).Priority {
			got = "high"
		}
		if got != first {
			t.Errorf("%s: QOS %s is first, want %s; sent %v", strength, got, first, r.wire.applied)
		}
	}
}

// TestNumbersFollowTheQueue: while jobs come and go, our numbers stay near what
// Slurm itself would give, our order stands, and it takes few writes.
func TestNumbersFollowTheQueue(t *testing.T) {
	r := newRigOn(t, campus(), bridge.ModeRank, "fifo", nil)
	queue(t, r.w, r.submit)
	r.cycles(10)
	r.w.Advance(r.w.Now().Add(2 * time.Hour)) // the cluster is about to be free
	sent, came := len(r.wire.applied), 24
	for i := range 240 {
		if i%10 == 0 {
			r.submit(sim.JobSpec{User: fmt.Sprint("u", i/10%4), Account: fmt.Sprint("a", i/10%4), GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute})
			came++
		}
		r.cycles(1)
		r.nearSlurm()
	}
	writes := len(r.wire.applied) - sent
	t.Logf("%d writes for %d jobs that came or started", writes, came)
	if writes > 6*came {
		t.Errorf("%d writes for %d jobs that came or started: more than six each", writes, came)
	}
}

// nearSlurm compares the priorities of all that wait with those Slurm itself
// gives: the same, place by place, but for half their spread.
func (r *rig) nearSlurm() {
	r.t.Helper()
	ours := map[int64]int64{}
	for _, in := range r.intents() {
		if in.State == "OBSERVED" || in.State == "ACKED" {
			ours[in.Edit.Run.Job] = in.Edit.Value
		}
	}
	var own, now []int64
	for _, j := range r.w.Jobs() {
		if j.IsPending() {
			now, own = append(now, j.Priority), append(own, j.Priority-ours[j.ID])
		}
	}
	if len(own) == 0 {
		return
	}
	slices.Sort(own)
	slices.Sort(now)
	top := own[len(own)-1]
	reach := max(top-own[0], top/8) + 20
	for i := range own {
		if d := own[i] - now[i]; d > reach || -d > reach {
			r.t.Fatalf("place %d from the bottom has priority %d, Slurm's own is %d, of %d to %d", i+1, now[i], own[i], own[0], top)
		}
	}
}
