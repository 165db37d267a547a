package bridge_test

import (
	"testing"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/bridge/sim"
)

// crammed is one node of eight free GPUs, of whose 64 cores 55 are taken for
// ten minutes by a job without GPUs. First in line is a job of eight GPUs and 32
// cores, behind it four of a GPU and two cores each.
func crammed(t *testing.T, mode gate.Mode, policy string, limit time.Duration) (r *rig, head int64, small []int64) {
	t.Helper()
	r = newRigOn(t, sim.Config{
		Cluster: "lab", Nodes: sim.Uniform(1, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}, RequeueDelay: 10 * time.Second,
	}, mode, policy, nil)
	r.conf.Interval = 10 * time.Second
	r.restart()
	r.submit(sim.Spec{User: "hog", Account: "x", CPUs: 55, Work: 10 * time.Minute, Limit: 10 * time.Minute})
	r.w.Advance(r.w.Now().Add(time.Minute))
	r.cycles(2) // warm
	head = r.submit(sim.Spec{User: "wide", Account: "y", GPUsPerNode: 8, CPUs: 32, Work: 5 * time.Minute, Limit: 6 * time.Minute})
	r.cycles(2)
	for range 4 {
		small = append(small, r.submit(sim.Spec{User: "narrow", Account: "z", GPUsPerNode: 1, CPUs: 2, Work: 5 * time.Minute, Limit: limit}))
		r.w.Advance(r.w.Now().Add(time.Second))
	}
	return r, head, small
}

// What starts now is numbered above what waits: else Slurm keeps the node for
// the job that waits, and what we decided to start does not.
func TestWhatStartsNowIsAheadOfWhatWaits(t *testing.T) {
	for _, c := range []struct {
		policy string
		mode   gate.Mode
		limit  time.Duration
	}{
		{"fairbridge", gate.Steer, time.Hour}, {"tiresias", gate.Steer, time.Hour}, {"shockwave", gate.Steer, time.Hour},
		{"tiresias", gate.Rank, time.Hour}, {"easy", gate.Steer, 7 * time.Minute},
	} {
		t.Run(c.policy+" in "+string(c.mode), func(t *testing.T) {
			r, head, small := crammed(t, c.mode, c.policy, c.limit)
			last := r.cycles(4)
			for _, id := range small {
				if j := r.job(id); j.Pending() {
					t.Errorf("job %d still waits (%s, priority %d; the head has %d)", id, j.Reason, j.Priority, r.job(head).Priority)
				}
			}
			if t.Failed() {
				for _, d := range last.Thoughts[0].Plan.Decisions {
					t.Logf("%d. job %d: %s %v: %s", d.Rank, d.Job, d.Verb, d.On, d.Why)
				}
			}
		})
	}
}
