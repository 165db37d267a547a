package cycle_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// halves is a cluster of two partitions, in each of which a job of the same user runs and gives way, and another
// waits. The user may lose so many jobs an hour.
func halves(t *testing.T, comment string, stops int) *rig {
	t.Helper()
	r := newRigOn(t, sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(2, "a100", 8), BackfillInterval: -1, RequeueDelay: 10 * time.Second,
		Partitions: []sim.Partition{{Name: "gpu", Nodes: []string{"n1"}}, {Name: "b", Nodes: []string{"n2"}}},
	}, bridge.ModePreempt, "tiresias", nil)
	other := r.conf.Partitions[0]
	other.Name = "b"
	r.conf.Partitions = append(r.conf.Partitions, other)
	r.conf.Budgets.UserStops1h, r.conf.Budgets.StopFloor, r.conf.Budgets.PlanStopFloor = stops, 9, 9
	r.restart()
	submit := func(user string, work time.Duration) {
		for _, name := range []string{"gpu", "b"} {
			r.submit(sim.JobSpec{
				User: user, Account: user, Partition: name, GPUs: 8, WorkTime: work, TimeLimit: 2 * work,
				Comment: comment, Checkpoints: true,
			})
		}
	}
	submit("hog", 9*time.Hour)
	r.w.Advance(r.w.Now().Add(2 * time.Hour))
	submit("new", 10*time.Minute)
	return r
}

// TestStopsAreCountedOverAllPartitions: what a partition stops or warns in a cycle is spent for those after it (I7).
func TestStopsAreCountedOverAllPartitions(t *testing.T) {
	for comment, kind := range map[string]slurm.EditKind{
		"fairbridge:preemptible,ckpt=10s":                      slurm.EditRequeue,
		"fairbridge:preemptible,ckpt=10s,grace=1m,signal=USR1": slurm.EditWarn,
	} {
		for _, stops := range []int{1, 2} {
			r := halves(t, comment, stops)
			r.cycles(8)
			if n := r.kinds()[kind]; n != stops {
				t.Errorf("%s: %d in both partitions, want %d; sent %v", kind, n, stops, r.wire.applied)
			}
		}
	}
}
