package exact

import (
	"testing"

	"fairbridge/policy"
	policyengine "fairbridge/policy/engine"
	"fairbridge/replica/workload"
)

// TestNothingToDoForFiveRounds is the job that a change of its batch size left
// with all its steps done: it is not ended by that, but by failing to run.
func TestNothingToDoForFiveRounds(t *testing.T) {
	nodes := []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: 1}}}}
	e, err := newEngine(Config{Policy: policyengine.Pipeline{}, Nodes: nodes, Clock: ShockwaveClock(), Jobs: []workload.Job{{ID: 1, GPUs: 1, Duration: 100}, {ID: 2, GPUs: 1, Duration: 1e6}}})
	if err != nil {
		t.Fatal(err)
	}
	e.admitArrivals()
	if err := e.decideAndCarryOut(); err != nil {
		t.Fatal(err)
	}
	j := e.presentJobs[0]
	j.doneUnits = j.totalUnits
	for round := 1; round <= 5; round++ {
		if j.hasEnded {
			t.Fatalf("ended before round %d", round)
		}
		if stopped := (&roundEngine{engine: e}).runJob(j, float64(round)); stopped != float64(round) {
			t.Fatalf("round %d lasted until %v", round, stopped)
		}
	}
	if !j.hasEnded || j.outcome.Finish != 5 || j.progressSeconds != 0 {
		t.Errorf("ended %t at %v after running %v s, want at the start of its fifth round", j.hasEnded, j.outcome.Finish, j.progressSeconds)
	}
}

// TestResteps: the total stays in proportion if that is as many epochs as
// before, else it is whole epochs.
func TestResteps(t *testing.T) {
	for _, c := range []struct {
		name               string
		steps              float64
		old, batch         int
		epochs, per, wants float64
	}{
		{"LM of 22.55 epochs", 134_583, 10, 20, 23, 2984, 67_292},
		{"ResNet-18 of 1.0003 epochs, which would become one", 3126, 16, 256, 2, 196, 392},
		{"back to a smaller batch", 196, 256, 16, 1, 3125, 3125},
	} {
		if got := stepsAfterBatchChange(c.steps, c.old, c.batch, c.epochs, c.per); got != c.wants {
			t.Errorf("%s: %v steps, want %v", c.name, got, c.wants)
		}
	}
}
