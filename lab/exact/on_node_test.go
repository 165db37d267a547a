package exact_test

import (
	"testing"

	"fairbridge/gear/policytest"
	"fairbridge/lab/exact"
	"fairbridge/policy/paper/fifo"
	"fairbridge/replica/workload"
)

// slowedByParts slows a job by the parts of its node that others hold.
type slowedByParts struct{}

func (slowedByParts) SpeedOnNode(_ *workload.Job, others []workload.NodePart) float64 {
	speed := 1.0
	for _, o := range others {
		speed -= o.Part
	}
	return speed
}

// TestBesideOnNode: two jobs hold half of a node each and have half of their speed together; the one that is left is as fast
// as alone. A gang over two nodes waits for its slower part: 50 units of the third are done when the fourth ends.
func TestBesideOnNode(t *testing.T) {
	jobs := []workload.Job{{ID: 1, GPUs: 2, Duration: 100}, {ID: 2, GPUs: 2, Duration: 150}, {ID: 3, Arrive: 1000, GPUs: 6, Duration: 100}, {ID: 4, Arrive: 1000, GPUs: 2, Duration: 50}}
	run := play(t, exact.Config{Policy: policytest.NewPolicy(t, fifo.System().New, nil), Nodes: nodes(2, 4, "fast")[:2], Jobs: jobs, Clock: exact.NewEventClock(0, 0, 0), NodeInterference: slowedByParts{}})
	for i, want := range []float64{200, 250, 1150, 1100} {
		same(t, "job", run.JobOutcomes[i].Finish, want)
	}
}
