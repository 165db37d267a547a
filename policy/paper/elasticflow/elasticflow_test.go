package elasticflow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/elasticflow"
)

// TestLawsWithDeadlines keeps the laws that need no clock on snapshots whose jobs have deadlines and
// speeds on other sizes, which the catalogue's have not, and no job without a promise ever takes
// GPUs from one that has it: what was admitted once is not let go while nothing changes.
func TestLawsWithDeadlines(t *testing.T) {
	admitted := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := policytest.GenerateSnapshots().Draw(rt, "snapshot")
		plain := rapid.Bool().Draw(rt, "GPUs alone matter")
		if plain {
			clearConstraints(s)
		}
		addDeadlines(rt, s)
		p := policytest.NewPolicy(t, elasticflow.System().New, paper.Params{"max_wait": "0s"}) // who waited too long goes before all promises
		plan, err := p.Decide(s)
		if err != nil {
			rt.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			rt.Fatalf("%v\n%s", err, policytest.DescribePlan(s, plan))
		}
		next := policytest.ApplyPlan(s, plan)
		again, err := p.Decide(next)
		if err != nil {
			rt.Fatal(err)
		}
		if err := again.Check(next); err != nil {
			rt.Fatalf("%v\n%s", err, policytest.DescribePlan(next, again))
		}
		for i, d := range again.Decisions {
			if plain && strings.Contains(d.Why, "cannot be met any more") {
				rt.Fatalf("job %d is let go though nothing changed: %s\n%s\n%s", d.Job, d.Why, policytest.DescribePlan(s, plan), policytest.DescribePlan(next, again))
			}
			if i < len(plan.Decisions) && plan.Decisions[i].Job == d.Job && strings.Contains(plan.Decisions[i].Why, "admitted for its deadline") {
				admitted++
			}
		}
		comesToRest(rt, p, next)
	})
	if admitted == 0 {
		t.Error("no job was ever admitted: the test shows nothing")
	}
}

// clearConstraints lets every job run wherever there are GPUs: elasticflow plans by counting them.
func clearConstraints(s *policy.Snapshot) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		n.Partitions, n.Windows, n.OtherUses, n.DownReason = []string{"batch", "long"}, nil, nil, ""
	}
	for i := range s.Jobs {
		s.Jobs[i].Ask, s.Jobs[i].Tasks = policy.Ask{GPUs: s.Jobs[i].Ask.GPUs}, 0
	}
}

// comesToRest wants plans that, while nothing changes, at last stop no job.
func comesToRest(t *rapid.T, p policy.Policy, s *policy.Snapshot) {
	for range 12 {
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool {
			return d.Verb == policy.Stop || d.Verb == policy.Resize || d.Verb == policy.Move
		}) {
			return
		}
		s = policytest.ApplyPlan(s, plan)
	}
	t.Fatal("after twelve plans jobs are still stopped")
}

// addDeadlines gives jobs deadlines, predictions and curves.
func addDeadlines(t *rapid.T, s *policy.Snapshot) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if rapid.Bool().Draw(t, "deadline") {
			j.Deadline = s.Now.Add(time.Duration(rapid.IntRange(-60, 2000).Draw(t, "minutes")) * time.Minute)
		}
		if rapid.Bool().Draw(t, "predicted") {
			j.PredictedLeft = time.Duration(rapid.IntRange(1, 2000).Draw(t, "left")) * time.Minute
		}
		if rapid.Bool().Draw(t, "curve") && j.Ask.GPUs.Count > 0 {
			j.MinGPUs, j.MaxGPUs = 1, 4*j.Ask.GPUs.Count
			j.Scaling = &policy.Scaling{Source: policy.ScalingFromTable, SerialPart: rapid.Float64Range(0, .5).Draw(t, "serial")}
		}
	}
}

// node is one node of so many GPUs with jobs that wait, each of one GPU at least.
func node(gpus int, jobs ...policy.Job) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus}}}}}
	for i, j := range jobs {
		j.ID, j.User, j.Account, j.Partition, j.State = policy.JobID(i+1), "u", "a", "gpu", policy.Pending
		j.Arrive = policytest.SnapshotTime.Add(time.Duration(i-100) * time.Second)
		j.Ask.GPUs.Type, j.Ask.GPUs.Count = "g", max(j.Ask.GPUs.Count, 1)
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// TestSizes: a job of an hour on one GPU with half an hour to go needs four of them by its curve; one
// of whose speed nothing is known is planned on what it asks, and so declined.
func TestSizes(t *testing.T) {
	curve := &policy.Scaling{Source: policy.ScalingFromTable, Points: []policy.SpeedPoint{{Devices: 1, StepsPerSecond: 1}, {Devices: 2, StepsPerSecond: 1.5}, {Devices: 4, StepsPerSecond: 2.2}}}
	urgent := policy.Job{MinGPUs: 1, MaxGPUs: 4, PredictedLeft: time.Hour, Deadline: policytest.SnapshotTime.Add(30 * time.Minute)}
	for name, c := range map[string]struct {
		scaling *policy.Scaling
		gpus    int
		why     string
	}{
		"its curve":        {curve, 4, "admitted for its deadline 2026-03-02 12:30 UTC"},
		"nothing is known": {nil, 1, "best effort: its deadline 2026-03-02 12:30 UTC cannot be met"},
		"assumed":          {&policy.Scaling{Source: policy.ScalingAssumed, SerialPart: .05}, 1, "best effort: its deadline"},
	} {
		urgent.Scaling = c.scaling
		plan, err := policytest.NewPolicy(t, elasticflow.System().New, paper.Params{"margin": 0}).Decide(node(4, urgent))
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[0]; d.Verb != policy.Start || d.GPUs != c.gpus || !strings.Contains(d.Why, c.why) {
			t.Errorf("%s: %+v, want %d GPUs, %q", name, d, c.gpus, c.why)
		}
	}
}

// TestFillsNodes is example (e) of the rules, counted: 4, 2, 1 and 1 fill a node of 8 exactly, and
// what two GPUs leave goes to the next two.
func TestFillsNodes(t *testing.T) {
	var jobs []policy.Job
	for _, n := range []int{4, 2, 1, 1} {
		jobs = append(jobs, policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: n}}})
	}
	s := node(8, jobs...)
	s.Nodes = append(s.Nodes, policy.Node{Name: "n2", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	p := policytest.NewPolicy(t, elasticflow.System().New, nil)
	plan, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		if d.On.CountOn("n1") != d.GPUs {
			t.Errorf("%+v, want it on n1", d)
		}
	}
	s = policytest.ApplyPlan(s, plan)
	s.Jobs[1].ID, s.Jobs[1].State, s.Jobs[1].On, s.Jobs[1].Start = 2, policy.Pending, nil, time.Time{} // another of two GPUs
	if plan, err = p.Decide(s); err != nil || plan.Decisions[1].On.CountOn("n1") != 2 {
		t.Errorf("%v: %+v, want it in the gap on n1", err, plan.Decisions[1])
	}
}

func TestGarbledMemo(t *testing.T) {
	for _, memo := range []string{"{", `"x"`, `{"jobs":[{"job":1,"until":[1],"gpus":[]}]}`, `{"jobs":[{"job":2},{"job":1}]}`} {
		_, err := policytest.NewPolicy(t, elasticflow.System().New, nil).Decide(&policy.Snapshot{Memo: policy.MemoFromJSON([]byte(memo))})
		if err == nil || !strings.HasPrefix(err.Error(), "policy elasticflow: reading what was remembered: ") {
			t.Errorf("memo %s: %v", memo, err)
		}
	}
}
