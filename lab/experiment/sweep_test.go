package experiment

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// decideFunc is a policy of one function.
type decideFunc func(*policy.Snapshot) (*policy.Plan, error)

func (f decideFunc) Decide(s *policy.Snapshot) (*policy.Plan, error) { return f(s) }

// choice is a policy that decides as fifo does, after do, which is told how many policies of
// this choice were made before.
func choice(t *testing.T, label string, do func(made int) error) policyset.PolicyChoice {
	t.Helper()
	fifo, err := catalogue.FindSystem("fifo")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	return policyset.PolicyChoice{Label: label, System: paper.System{Name: label, New: func(paper.Params) (policy.Policy, error) {
		of, err := fifo.New(nil)
		mine := made
		made++
		return decideFunc(func(s *policy.Snapshot) (*policy.Plan, error) {
			if err := do(mine); err != nil {
				return nil, err
			}
			return of.Decide(s)
		}), err
	}}}
}

// threeSeeds are policies on three workloads, each with a job more than the one before.
func threeSeeds(t *testing.T, policies ...policyset.PolicyChoice) *study.Block {
	t.Helper()
	nodes, err := cluster.ParseSpec("2x2")
	if err != nil {
		t.Fatal(err)
	}
	e := &study.Experiment{Policies: policies, RunOptions: study.RunOptions{Seed: 5}}
	for seed := range 3 {
		var jobs []workload.Job
		for i := range 4 + seed {
			jobs = append(jobs, workload.Job{ID: int64(i + 1), Account: "a", GPUs: 1 + i%3, Arrive: float64(60 * i), Duration: 600})
		}
		s, err := study.NewScenario(study.Scenario{Name: "small", Jobs: jobs, Nodes: nodes}, false)
		if err != nil {
			t.Fatal(err)
		}
		e.Scenarios = append(e.Scenarios, s)
	}
	if err := SetClock(&e.RunOptions, "intervals", 0, e.Scenarios[0]); err != nil {
		t.Fatal(err)
	}
	return &study.Block{Experiment: e}
}

// TestPairsAreOfTheSameJobs: two policies that do the same come out at 1 on every seed,
// although the seeds differ; one that fails on one seed keeps the others.
func TestPairsAreOfTheSameJobs(t *testing.T) {
	fine := func(int) error { return nil }
	b := threeSeeds(t, choice(t, "same", fine), choice(t, "base", fine), choice(t, "fails", func(made int) error {
		if made == 1 {
			return errors.New("out of ideas")
		}
		return nil
	}))
	if err := b.Run(t.Context(), 1, nil); err != nil {
		t.Fatal(err)
	}
	p, err := b.PairWith("base")
	if err != nil {
		t.Fatal(err)
	}
	for i, seeds := range []int{3, 2} {
		c := &p.Comparisons[i]
		if len(c.Pairs) != seeds {
			t.Errorf("%s has %d seeds, want %d", c.PolicyLabel, len(c.Pairs), seeds)
		}
		for k, f := range p.Set.Figures {
			if s := c.Spreads[k]; f.IsRatio && s.SeedCount > 0 && (s.Least != 1 || s.Greatest != 1) {
				t.Errorf("%s: %s is from %g to %g, want 1 on every seed", c.PolicyLabel, f.Key, s.Least, s.Greatest)
			}
		}
	}
	if p.Errs[0] != nil || p.Errs[1] == nil || !strings.Contains(p.Errs[1].Error(), "out of ideas") {
		t.Errorf("why seeds are missing: %v", p.Errs)
	}
	page := study.NewRatioPage([]*study.PairedBlock{p})
	if all := page.Sections[0]; len(all.Rows) != 3 || len(all.Rows[1]) != len(all.ColumnHeads) || len(all.Rows[0]) != len(all.ColumnHeads) || !strings.Contains(all.About, "fails did not end on every seed: ") {
		t.Errorf("the table of the page is %+v", all)
	}
	if drawn := page.Sections[1].Drawing.Dots; len(drawn) != 2 || len(drawn[0].Values) != 3 || len(drawn[1].Values) != 2 {
		t.Errorf("drawn are %+v", drawn)
	}
	if _, err := b.PairWith("nobody"); err == nil {
		t.Error("it is compared with a policy that was not run")
	}
	for _, r := range b.Results {
		if r.Label == "fails" && (r.Err == nil || len(r.Ended) != 2) {
			t.Errorf("of the one that failed %d runs are there (%v)", len(r.Ended), r.Err)
		}
	}
}

// TestInterruptedRunsAreKept: when the context ends, the seeds that all policies are through
// with have their figures, and every run that ended can be paired.
func TestInterruptedRunsAreKept(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	fine := func(int) error { return nil }
	b := threeSeeds(t, choice(t, "base", fine), choice(t, "first", fine), choice(t, "last", func(made int) error {
		if made == 1 {
			interrupt()
		}
		return nil
	}))
	if err := b.Run(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run ends with %v", err)
	}
	for i, ended := range []int{2, 2, 1} {
		if r := &b.Results[i]; r.Err != nil || r.RunCount != 1 || len(r.Ended) != ended {
			t.Errorf("%s: figures of %d seeds, %d runs, want 1 and %d (%v)", r.Label, r.RunCount, len(r.Ended), ended, r.Err)
		}
	}
	if err := study.CheckFailures(b.Results); err != nil {
		t.Errorf("to be interrupted passes for a failure: %v", err)
	}
	p, err := b.PairWith("base")
	if err != nil {
		t.Fatal(err)
	}
	if n, m := len(p.Comparisons[0].Pairs), len(p.Comparisons[1].Pairs); n != 2 || m != 1 {
		t.Errorf("%d and %d seeds are paired, want 2 and 1", n, m)
	}
}

func TestSettingInWords(t *testing.T) {
	half, third := 0.5, 0.3
	for want, s := range map[string]study.Setting{
		"": {}, "load 1.5, half of the jobs may be stopped": {OfferedLoad: 1.5, StoppableShare: &half}, "30 % of the jobs may be stopped": {StoppableShare: &third},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}
