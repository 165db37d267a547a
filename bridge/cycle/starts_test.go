package cycle_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// crammed is one node of eight free GPUs, of whose 64 cores 55 are taken for
// ten minutes by a job without GPUs. First in line is a job of eight GPUs and 32
// cores, behind it four of a GPU and two cores each.
func crammed(t *testing.T, mode bridge.Mode, policy string, limit time.Duration) (r *rig, head int64, small []int64) {
	t.Helper()
	r = newRigOn(t, sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(1, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}, RequeueDelay: 10 * time.Second,
	}, mode, policy, nil)
	r.conf.Interval = 10 * time.Second
	r.restart()
	r.submit(sim.JobSpec{User: "hog", Account: "x", CPUsPerNode: 55, WorkTime: 10 * time.Minute, TimeLimit: 10 * time.Minute})
	r.w.Advance(r.w.Now().Add(time.Minute))
	r.cycles(2) // warm
	head = r.submit(sim.JobSpec{User: "wide", Account: "y", GPUsPerNode: 8, CPUsPerNode: 32, WorkTime: 5 * time.Minute, TimeLimit: 6 * time.Minute})
	r.cycles(2)
	for range 4 {
		small = append(small, r.submit(sim.JobSpec{User: "narrow", Account: "z", GPUsPerNode: 1, CPUsPerNode: 2, WorkTime: 5 * time.Minute, TimeLimit: limit}))
		r.w.Advance(r.w.Now().Add(time.Second))
	}
	return r, head, small
}

// What starts now is numbered above what waits: else Slurm keeps the node for
// the job that waits, and what we decided to start does not.
func TestWhatStartsNowIsAheadOfWhatWaits(t *testing.T) {
	for _, c := range []struct {
		policy string
		mode   bridge.Mode
		limit  time.Duration
	}{
		{"fairbridge", bridge.ModeSteer, time.Hour}, {"tiresias", bridge.ModeSteer, time.Hour}, {"shockwave", bridge.ModeSteer, time.Hour},
		{"tiresias", bridge.ModeRank, time.Hour}, {"easy", bridge.ModeSteer, 7 * time.Minute},
	} {
		t.Run(c.policy+" in "+string(c.mode), func(t *testing.T) {
			r, head, small := crammed(t, c.mode, c.policy, c.limit)
			last := r.cycles(4)
			for _, id := range small {
				if j := r.job(id); j.IsPending() {
					t.Errorf("job %d still waits (%s, priority %d; the head has %d)", id, j.Reason, j.Priority, r.job(head).Priority)
				}
			}
			if t.Failed() {
				for _, d := range last.PartitionResults[0].Plan.Decisions {
					t.Logf("%d. job %d: %s %v: %s", d.Rank, d.Job, d.Verb, d.On, d.Why)
				}
			}
		})
	}
}

// busy is two nodes of eight GPUs with 16 opted-in jobs of one GPU, which have
// run for two hours, and eight jobs of a limit of 20 minutes that wait. With a
// maintenance of both nodes in nine minutes none of those can start.
func busy(t *testing.T, policy string, maintenance bool) (r *rig, waiting []int64) {
	t.Helper()
	r = newRig(t, bridge.ModePreempt, policy, nil)
	r.conf.Interval = 10 * time.Second
	r.conf.Budgets.UserStops1h, r.conf.Budgets.AccountStops1h = 1000, 1000
	r.restart()
	for range 16 {
		r.submit(sim.JobSpec{User: "hog", Account: "x", GPUsPerNode: 1, WorkTime: 20 * time.Hour, TimeLimit: 30 * time.Hour, Comment: "fairbridge:preemptible,ckpt=1s", Checkpoints: true})
	}
	r.w.Advance(r.w.Now().Add(2 * time.Hour))
	r.cycles(3)
	if maintenance {
		m := sim.Reservation{Name: "m1", From: r.w.Now().Add(9 * time.Minute), To: r.w.Now().Add(2 * time.Hour), Flags: []string{"MAINT", "IGNORE_JOBS"}}
		if err := r.w.AddReservation(m); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		waiting = append(waiting, r.submit(sim.JobSpec{User: "new", Account: "y", GPUsPerNode: 1, WorkTime: 10 * time.Minute, TimeLimit: 20 * time.Minute}))
	}
	return r, waiting
}

// running counts running jobs.
func (r *rig) running() (n int) {
	for _, j := range r.w.Jobs() {
		if j.State == "RUNNING" {
			n++
		}
	}
	return n
}

var preemptive = []string{"fairbridge", "tiresias", "srtf", "drf", "themis", "gavel", "shockwave", "allox", "astraea", "gandiva-fair", "carbyne", "proportional"}

// No job is stopped for one that could not start before a maintenance.
func TestNobodyIsStoppedForAMaintenance(t *testing.T) {
	stops := 0
	for _, policy := range append([]string{"easy", "fifo", "multifactor", "gandiva"}, preemptive...) {
		t.Run(policy, func(t *testing.T) {
			free, _ := busy(t, policy, false)
			free.cycles(12)
			stops += free.kinds()[slurm.EditRequeue]
			r, waiting := busy(t, policy, true)
			r.cycles(40)
			if n := r.kinds()[slurm.EditRequeue]; n != 0 || r.running() != 16 {
				t.Errorf("%d requeues, %d of 16 GPUs busy", n, r.running())
			}
			for _, id := range waiting {
				if j := r.job(id); !j.IsPending() {
					t.Errorf("job %d: %s", id, j.State)
				}
			}
			t.Logf("without the maintenance: %d requeues", free.kinds()[slurm.EditRequeue])
		})
	}
	if stops == 0 {
		t.Error("not even without the maintenance is anybody stopped")
	}
}

// Nor is anybody stopped who could not start again before it, for a job that
// could.
func TestWhoCouldNotStartAgainIsNotStopped(t *testing.T) {
	r, _ := busy(t, "tiresias", true)
	quick := r.submit(sim.JobSpec{User: "quick", Account: "z", GPUsPerNode: 1, WorkTime: 2 * time.Minute, TimeLimit: 4 * time.Minute})
	r.cycles(12)
	if n := r.kinds()[slurm.EditRequeue]; n != 0 || r.job(quick).State != "PENDING" {
		t.Errorf("%d requeues for the quick job (%s): those that run could not start again", n, r.job(quick).State)
	}
}

// What keeps a job from starting need not be known: a stop for it that did not
// help is the last one for a while, also after a restart of ours.
func TestAStopInVainIsTheLast(t *testing.T) {
	r, waiting := busy(t, "tiresias", true)
	r.wire.hidesReasons = true
	r.wire.spoil = func(v *slurm.View) { // neither reservations nor reasons are known
		v.Reservations = nil
		for i := range v.Nodes {
			v.Nodes[i].Flags = nil
		}
	}
	r.conf.Budgets.StopPercent, r.conf.Budgets.StopFloor, r.conf.Budgets.SmallClusterGPUs = 0, 1, 0
	r.restart()
	for range 12 {
		r.cycles(1)
		if r.kinds()[slurm.EditRequeue] == 1 {
			r.restart()
		}
	}
	stops := r.kinds()[slurm.EditRequeue]
	if stops == 0 || stops > 5 {
		t.Errorf("%d requeues in two minutes", stops)
	}
	r.cycles(30)
	if more := r.kinds()[slurm.EditRequeue] - stops; more != 0 {
		t.Errorf("%d more requeues", more)
	}
	if !strings.Contains(r.log.String(), "no job of this partition is stopped until it does") {
		t.Errorf("it is not said:\n%s", r.log.String())
	}
	r.w.RemoveReservation("m1")
	r.cycles(6)
	for _, id := range waiting[:stops] {
		if r.job(id).State == "PENDING" {
			t.Errorf("job %d waits although it has room", id)
		}
	}
	r.cycles(6)
	if r.kinds()[slurm.EditRequeue] == stops {
		t.Error("no stop after the one in vain had its use")
	}
}

// A job that Slurm does not start, for a reason that we do not see, is planned
// around after three cycles, is told why, and is tried again later.
func TestAStartThatDoesNotHappen(t *testing.T) {
	r := newRigOn(t, sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(1, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}, BackfillInterval: -1,
	}, bridge.ModeSteer, "fifo", nil)
	r.conf.Interval = 10 * time.Second
	r.restart()
	r.wire.hidesReasons = true
	r.wire.spoil = func(v *slurm.View) { v.Nodes[0].MemUsedMB = 0 } // what takes the memory is not shown
	hog := r.submit(sim.JobSpec{User: "hog", Account: "x", CPUsPerNode: 1, MemMBPerNode: 300_000, WorkTime: time.Hour, TimeLimit: time.Hour})
	r.w.Advance(r.w.Now().Add(time.Minute))
	r.cycles(3)
	fat := r.submit(sim.JobSpec{User: "fat", Account: "y", GPUsPerNode: 2, MemMBPerNode: 400_000, WorkTime: 5 * time.Minute, TimeLimit: 10 * time.Minute})
	r.w.Advance(r.w.Now().Add(time.Second))
	thin := r.submit(sim.JobSpec{User: "thin", Account: "z", GPUsPerNode: 8, MemMBPerNode: 1000, WorkTime: 30 * time.Minute, TimeLimit: 40 * time.Minute})
	r.cycles(3)
	if r.job(thin).State != "PENDING" {
		t.Fatalf("the thin job runs already: nothing is tested")
	}
	last := r.cycles(4)
	if r.job(thin).State != "RUNNING" {
		t.Errorf("the thin job still waits behind one that does not start (%s)", r.job(thin).Reason)
	}
	all := last.PartitionResults[0].Plan.Decisions
	why := all[slices.IndexFunc(all, func(d policy.Decision) bool { return int64(d.Job) == fat })].Why
	if !strings.Contains(why, "Slurm did not start it in 3 cycles (its reason: none given); others go before it until") || len(last.PartitionResults[0].StuckReasonByJob) != 1 {
		t.Errorf("it is told %q", why)
	}
	r.w.Advance(r.job(hog).Start.Add(61 * time.Minute))
	r.cycles(6)
	if r.job(fat).State == "PENDING" {
		t.Errorf("the fat job is not tried again: %s", why)
	}
}
