package experiment

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/policy/pool"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
	"fairbridge/scripts/verify/part"
)

// smallSite is a small cluster with a workload.
type smallSite struct {
	spec, kind, clock string
	generate.WorkloadOptions
	elastic float64 // part of the jobs
}

var smallSites = []smallSite{
	{"1x4", "day", "intervals", generate.WorkloadOptions{DayCount: .1, OfferedLoad: .3}, 0},
	{"2x4", "day", "intervals", generate.WorkloadOptions{DayCount: .05, OfferedLoad: 1.2, AccountCount: 3}, 0},
	{"1x4,2x2", "tenant", "intervals", generate.WorkloadOptions{DayCount: .05, OfferedLoad: 3}, .5},
	{"1x4:v100,2x1:k80", "day", "gavel", generate.WorkloadOptions{DayCount: .05, OfferedLoad: .8}, 0},
}

// drawnSite is a workload with how it is simulated.
type drawnSite struct {
	*study.Scenario
	study.RunOptions
}

// idleAsPublished says of policies why jobs may wait on an idle cluster with the parameters of their papers'
// simulators, and for how long at most.
var idleAsPublished = map[string]struct {
	why  string
	most time.Duration
}{
	"allox":        {"as published, fractions are computed each 1,000 s, and new jobs wait", 1000 * time.Second},
	"gavel":        {"likewise", 1000 * time.Second},
	"proportional": {"likewise", 1000 * time.Second},
}

// TestNoPolicyForgetsAJob: no policy leaves a job waiting that an otherwise idle cluster could run, whether no job
// may be stopped or all may, with the parameters of papers' simulators and with those of the daemon; and all jobs
// end. The few that wait there as published are named.
func TestNoPolicyForgetsAJob(t *testing.T) {
	part.Long(t, testing.Short())
	seeds := int64(2)
	if part.Runs("studies") {
		seeds = 4
	}
	var scenarios []drawnSite
	for i, site := range smallSites {
		for seed := range seeds {
			for _, optedIn := range []float64{0, 1} {
				scenarios = append(scenarios, site.draw(t, 10*seed+int64(i), optedIn))
			}
		}
	}
	for _, asInPapers := range []bool{true, false} {
		policies, err := policyset.ParsePolicies("all,antman:opportunistic=false", asInPapers)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range policies {
			if !asInPapers && len(p.System.SimulatorParams) == 0 {
				continue // they are the same
			}
			t.Run(fmt.Sprintf("%s/as in papers=%t", p.Label, asInPapers), func(t *testing.T) {
				t.Parallel()
				checkForgetsNoJob(t, p, scenarios, asInPapers)
			})
		}
	}
}

func checkForgetsNoJob(t *testing.T, p policyset.PolicyChoice, scenarios []drawnSite, asInPapers bool) {
	watch := idleWatch{System: p.System}
	if asInPapers {
		watch.most = idleAsPublished[p.Label].most
	}
	p.System.New = watch.newPolicy
	for _, s := range scenarios {
		if _, err := s.Run(t.Context(), p, s.RunOptions, nil); err != nil {
			t.Error(err)
		}
	}
	if watch.waited == 0 && watch.most > 0 {
		t.Error("is said to let jobs wait on an idle cluster, and does not")
	}
}

// draw draws the site's workload, such a part of the jobs of which may be stopped.
func (c *smallSite) draw(t *testing.T, seed int64, optedIn float64) drawnSite {
	t.Helper()
	nodes, err := cluster.ParseSpec(c.spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := GenerateScenario(c.kind, c.WorkloadOptions, seed, nodes)
	if err != nil {
		t.Fatal(err)
	}
	study.SetStoppableShare(s.Jobs, optedIn, seed)
	if c.elastic > 0 {
		s.SetElasticShare(c.elastic, seed)
	}
	made := drawnSite{Scenario: s}
	if err := SetClock(&made.RunOptions, c.clock, 0, s); err != nil {
		t.Fatal(err)
	}
	s.Name = fmt.Sprintf("%s, load %g, seed %d, %g opted in", c.kind, c.OfferedLoad, seed, optedIn)
	return made
}

// idleWatch makes a system's policies, which fail when they leave an idle cluster idle for so long, at most, beside
// a job that could run there.
type idleWatch struct {
	paper.System
	most, waited time.Duration
}

func (w *idleWatch) newPolicy(params paper.Params) (policy.Policy, error) {
	watched, err := w.System.New(params)
	var since time.Time // when the cluster was found idle beside a job
	return decideFunc(func(s *policy.Snapshot) (*policy.Plan, error) {
		plan, err := watched.Decide(s)
		if err != nil {
			return nil, err
		}
		forgotten := findForgotten(s, plan)
		if forgotten == "" {
			since = time.Time{}
			return plan, nil
		}
		if since.IsZero() {
			since = s.Now
		}
		idle := s.Now.Sub(since)
		if w.waited = max(w.waited, idle); idle >= w.most {
			return nil, fmt.Errorf("nothing runs for %v, but %s", idle, forgotten)
		}
		return plan, nil
	}), err
}

// findForgotten describes a job that fits where by the plan nothing runs; "": there is none.
func findForgotten(s *policy.Snapshot, plan *policy.Plan) string {
	for i := range plan.Decisions {
		if plan.Decisions[i].Verb == policy.Start || s.Jobs[i].HoldsGPUs() {
			return ""
		}
	}
	free := pool.New(s)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if on, err := pool.Fit(free, j.Partition, j.AskWithLimit()); err == nil && j.CanStart(s.Now) {
			return fmt.Sprintf("job %d is to %s, and %v is free", j.ID, plan.Decisions[i].Verb, on)
		}
	}
	return ""
}

// TestForgottenJobsAreFound: the law catches a policy that waits for a quota which is never enough.
func TestForgottenJobsAreFound(t *testing.T) {
	hold := func(s *policy.Snapshot) (*policy.Plan, error) {
		plan := &policy.Plan{}
		for i := range s.Jobs {
			plan.Decisions = append(plan.Decisions, policy.Decision{Job: s.Jobs[i].ID, Verb: policy.Hold})
		}
		return plan, nil
	}
	var never idleWatch
	never.New = func(paper.Params) (policy.Policy, error) { return decideFunc(hold), nil }
	made, err := never.newPolicy(nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := cluster.ParseSpec("1x4")
	if err != nil {
		t.Fatal(err)
	}
	job := policy.Job{ID: 1, Partition: cluster.PartitionName, State: policy.Pending}
	job.Ask.GPUs.Count = 4
	if _, err := made.Decide(&policy.Snapshot{Nodes: nodes, Jobs: []policy.Job{job}}); err == nil ||
		!strings.Contains(err.Error(), "job 1 is to hold, and ") {
		t.Error(err)
	}
	for name := range idleAsPublished {
		if _, err := catalogue.FindSystem(name); err != nil {
			t.Error(err)
		}
	}
}
