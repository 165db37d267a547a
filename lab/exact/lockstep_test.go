package exact_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/replica/cluster"
	"fairbridge/replica/goodput"
	"fairbridge/replica/workload"
)

// secondApplication trains two epochs of 100 steps of a second on any device.
func secondApplication(t *testing.T) *goodput.Application {
	t.Helper()
	a, err := goodput.New(goodput.Profile{
		Name: "second", InitialBatch: 8, MaxBatch: 8, LeastPerDevice: 1, MostPerDevice: 8,
		Validations: []goodput.Validation{{BatchSize: 8, Epochs: []goodput.Epoch{{Progress: 100, Iterations: 100, GradSqr: 1}, {Progress: 200, Iterations: 200, GradSqr: 1}}}},
		StepTables:  []goodput.StepTable{{Samples: []goodput.StepSample{{Placement: "1", Nodes: 1, Devices: 1, PerDevice: 8, Step: 1}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLockstep: jobs are looked at every minute, the first start costs a restart too, GPUs of a
// job that ends idle until the minute is over, and the restart counts as service.
func TestLockstep(t *testing.T) {
	nodes, err := cluster.ParseSpec("1x1:g")
	if err != nil {
		t.Fatal(err)
	}
	a := secondApplication(t)
	jobs := []workload.Job{
		{ID: 1, Arrive: 10, GPUs: 1, Duration: 200, Goodput: &goodput.Job{Application: a, BatchSize: 8}},
		{ID: 2, Arrive: 61, GPUs: 1, Duration: 45},
	}
	var attained []float64
	config := exact.Config{Policy: engine.Pipeline{}, Nodes: nodes, Jobs: jobs, Clock: exact.PolluxClock(), WatchDecision: func(s *policy.Snapshot, _ *policy.Plan) {
		attained = append(attained, float64(s.Jobs[0].Attained))
	}}
	run, err := exact.Run(config)
	if err != nil {
		t.Fatal(err)
	}
	// Decided at 60: 30 s to start, 200 s of steps, over at 290. At 300 the next: 30 s and 45 s.
	for i, want := range [][2]float64{{60, 290}, {300, 375}} {
		if o := run.JobOutcomes[i]; o.Start != want[0] || o.Finish != want[1] || o.LostService != 30 {
			t.Errorf("job %d: %g to %g, %g GPU-seconds lost; want %v and 30", o.ID, o.Start, o.Finish, o.LostService, want)
		}
	}
	if got := fmt.Sprint(attained); got != "[0 60 120 180 0 60]" || run.MakespanSeconds != 375 {
		t.Errorf("seen with a service of %s, makespan %g", got, run.MakespanSeconds)
	}
	config.Clock = exact.NewEventClock(time.Minute, 0, 0)
	if _, err := exact.Run(config); err == nil || !strings.Contains(err.Error(), "--clock pollux") {
		t.Errorf("a profile by another clock: %v", err)
	}
}

// wanderer starts the only job on the first node, moves it to the next after each decision, and
// keeps it on the last.
type wanderer struct{}

func (wanderer) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	n := min(int(s.Seq), len(s.Nodes)) - 1
	d := policy.Decision{Job: s.Jobs[0].ID, Rank: 1, GPUs: 1, Why: "it wanders", Verb: policy.Start,
		On: policy.Alloc{{Node: s.Nodes[n].Name, Type: s.Nodes[n].GPUs[0].Type, Count: 1}}}
	switch {
	case s.Jobs[0].On.Equal(d.On):
		d.Verb = policy.Keep
	case s.Jobs[0].HoldsGPUs():
		d.Verb = policy.Move
	}
	return &policy.Plan{SnapshotSeq: s.Seq, Policy: "wanderer", Decisions: []policy.Decision{d}}, nil
}

// TestFreeMoves: with free moves a job goes on where it comes to another node of its type, and is not
// stopped; on another type, and without, it restarts.
func TestFreeMoves(t *testing.T) {
	free := exact.PolluxClock()
	free.FreeMoves = true
	for _, c := range []struct {
		clock  exact.Clock
		nodes  string
		finish float64 // 60 s until the first decision, 30 s to start, 300 s of work, 30 s a restart
		stops  int
	}{
		{free, "2x1:g", 390, 0},
		{free, "1x1:g,1x1:h", 420, 1},
		{exact.PolluxClock(), "2x1:g", 420, 1},
	} {
		nodes, err := cluster.ParseSpec(c.nodes)
		if err != nil {
			t.Fatal(err)
		}
		run, err := exact.Run(exact.Config{Policy: wanderer{}, Nodes: nodes, Jobs: []workload.Job{{ID: 1, GPUs: 1, Duration: 300}}, Clock: c.clock})
		if err != nil {
			t.Fatal(err)
		}
		if o := run.JobOutcomes[0]; o.Finish != c.finish || o.StopCount != c.stops {
			t.Errorf("%s, free moves %v: over at %g with %d stops, want %g and %d", c.nodes, c.clock.FreeMoves, o.Finish, o.StopCount, c.finish, c.stops)
		}
	}
}
