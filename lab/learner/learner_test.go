package learner_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/learner"
	"fairbridge/lab/train"
	"fairbridge/policy"
	"fairbridge/policy/paper/dl2"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

func node(gpus int) []policy.Node {
	return []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, CPUs: 64, GPUs: []policy.NodeDevices{{Type: "v100", Count: gpus}}}}
}

// TestSecondLearner: another policy plugs in by what it says of itself alone. Here it is dl2 with a teacher in place of weights, so
// that it is known how it does beside that.
func TestSecondLearner(t *testing.T) {
	l := *train.Learner()
	l.NewPolicy = func(raw []byte) (policy.Policy, error) {
		if string(raw) == "teacher" {
			return dl2.NewTrainee(dl2.ShortestFirst{})
		}
		return dl2.NewTrainee(dl2.EqualShares{})
	}
	v := learner.Values{"jobs": 30, "gpus": 16, "load": .8}
	e, err := l.Evaluate(context.Background(), []byte("teacher"), l.DrawnSource(v), "multifactor", 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Comparisons) != 3 || len(e.MeanJCT) != 3 || e.Hash == "" {
		t.Fatalf("%+v", e)
	}
	for i, with := range []string{"dl2:by=teacher", "dl2:by=equal", "multifactor"} {
		if e.Comparisons[i].With != with {
			t.Errorf("%d is %s, want %s", i, e.Comparisons[i].With, with)
		}
	}
	if c := e.Comparisons[0]; !slices.Equal(c.Ratios, []float64{1, 1, 1}) || len(c.LosingSeeds) != 0 || c.LosingJobs != 0 {
		t.Errorf("beside itself %+v", c)
	}
	if c := e.Comparisons[1]; c.Median >= 1 || c.Least > c.Median || c.Most < c.Median {
		t.Errorf("beside equal shares %+v", c)
	}
	if e.Comparisons[0].Met != nil {
		t.Errorf("without deadlines %+v are met", e.Comparisons[0].Met)
	}
	worse, err := l.Evaluate(context.Background(), nil, l.DrawnSource(v), "", 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if c := worse.Comparisons[0]; c.Median <= 1 || len(c.LosingSeeds) == 0 || c.LosingJobs == 0 {
		t.Errorf("equal shares beside the teacher %+v", c)
	}
}

// TestSeedsToTry: weights are tried on no workload that a training draws.
func TestSeedsToTry(t *testing.T) {
	l := train.Learner()
	for _, first := range []int64{0, 999} {
		if _, err := l.Evaluate(context.Background(), nil, l.DrawnSource(l.Defaults()), "", first, 3); err == nil || !strings.Contains(err.Error(), "learnt from") {
			t.Errorf("tried on %d: %v", first, err)
		}
	}
	if learner.TrainingSeed(0) <= 1000 {
		t.Error("a training draws what weights are tried on")
	}
}

// TestTraceSource: what weights are tried on is of the end of a trace, of which none is learnt from; jobs without a range get one.
func TestTraceSource(t *testing.T) {
	var jobs []workload.Job
	for i := range 100 {
		jobs = append(jobs, workload.Job{ID: int64(i + 1), Name: "j", User: "u", Account: "a", Arrive: float64(60 * i), GPUs: 1 + i%2, Duration: 600, IsSilent: true})
	}
	s, err := study.NewScenario(study.Scenario{Name: "history", Jobs: jobs, Nodes: node(8)}, false)
	if err != nil {
		t.Fatal(err)
	}
	source, err := train.Learner().NewTraceSource(s, learner.Values{"jobs": 10, "load": .5})
	if err != nil {
		t.Fatal(err)
	}
	for k := range int64(20) {
		for _, seed := range []int64{1 + k, learner.TrainingSeed(k)} {
			c, err := source.Draw(seed)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Jobs {
				if j := &c.Jobs[i]; j.ID > 80 != (seed <= 1000) || j.IsSilent || j.MaxGPUs != 2*j.GPUs || len(c.Jobs) != 10 {
					t.Fatalf("workload %d: %+v", seed, j)
				}
			}
		}
	}
	if _, err := train.Learner().NewTraceSource(s, learner.Values{"jobs": 30, "load": .5}); err == nil || !strings.Contains(err.Error(), "20") {
		t.Errorf("windows of more than there are: %v", err)
	}
}

// TestTrainStops: a simulation that fails ends a training, and says where.
func TestTrainStops(t *testing.T) {
	l := *train.Learner()
	bad := badSource{fmt.Errorf("no jobs")}
	_, err := l.Train(context.Background(), learner.Settings{Source: bad, Values: l.Defaults()}, nil, learner.Progress{})
	if err == nil || !strings.Contains(err.Error(), "no jobs") {
		t.Error(err)
	}
	if _, err := l.Evaluate(context.Background(), nil, l.DrawnSource(l.Defaults()), "nopolicy", 1, 1); err == nil {
		t.Error("compared with no policy")
	}
}

type badSource struct{ err error }

func (b badSource) Draw(int64) (exact.Config, error) { return exact.Config{}, b.err }
func (badSource) Name() string                       { return "bad" }

// TestDeadlinesMet counts jobs with a deadline only.
func TestDeadlinesMet(t *testing.T) {
	jobs := []workload.Job{{ID: 1, Deadline: 10}, {ID: 2}, {ID: 3, Deadline: 20}}
	run := &measure.Run{JobOutcomes: []measure.JobOutcome{{ID: 3, Finish: 21}, {ID: 2, Finish: 99}, {ID: 1, Finish: 10}}}
	if got := learner.DeadlinesMet(jobs, run); got != .5 {
		t.Errorf("%g of the deadlines, want half", got)
	}
	if got := learner.DeadlinesMet(jobs[1:2], run); !math.IsNaN(got) {
		t.Errorf("%g of none", got)
	}
}
