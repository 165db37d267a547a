package synergy_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/synergy"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// speeds are those with 1, 2, 3 … cores for the models of the tests, with as much memory as each needs.
var speeds = map[string][]float64{
	"resnet18":  {.37, .72, 1, 1.3, 1.53, 1.75, 1.75 + .65/3, 1.75 + 1.3/3, 2.4},
	"mobilenet": {.37, .72, 1, 1.3, 1.49, 1.55}, "transformer": {1}, "gnmt": {1},
}

// scaling is how fast a model goes with so much memory or more.
func scaling(model string, memMB int64) *policy.CPUScaling {
	known := &policy.CPUScaling{AcceptsLess: true}
	for i, v := range speeds[model] {
		known.Points = append(known.Points, policy.CPUPoint{CPUs: float64(i + 1), MemMB: memMB, Speed: v})
	}
	return known
}

// cluster is nodes of so many GPUs, with 3 cores and 60,000 MB for each, and a job on one GPU for each
// model, which asks as much.
func cluster(nodes, gpus int, models ...string) *policy.Snapshot {
	s := &policy.Snapshot{Now: now}
	for i := range nodes {
		s.Nodes = append(s.Nodes, policy.Node{Name: fmt.Sprint("n", i+1), Partitions: []string{"p"}, CPUs: 3 * gpus, MemMB: 60_000 * int64(gpus), GPUs: []policy.NodeDevices{{Type: "v100", Count: gpus}}})
	}
	for i, m := range models {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), Name: m, User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(time.Duration(i-100) * time.Minute),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: 1}, CPUs: 3, MemMB: 60_000}, CPUScaling: scaling(m, 20_000)})
	}
	return s
}

// decide returns the plan, which must be lawful.
func decide(t *testing.T, s *policy.Snapshot, params paper.Params) *policy.Plan {
	t.Helper()
	plan, err := policytest.NewPolicy(t, synergy.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan
}

// describe prints verb, node and cores of each job, and how fast all are together, in shares.
func describe(s *policy.Snapshot, plan *policy.Plan) (text string, throughput float64) {
	var out []string
	for _, d := range plan.Decisions {
		j := s.Job(d.Job)
		has := j.Ask.WithAmounts(d.Given).Amounts()
		if d.Verb == policy.Keep {
			has = j.HeldAmounts()
		}
		if len(d.On) == 0 {
			out = append(out, string(d.Verb))
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %d", d.Verb, strings.Join(d.On.Nodes(), ","), has.CPUs))
		if j.CPUScaling != nil {
			throughput += j.CPUScaling.SpeedWith(d.GPUs, has) / j.CPUScaling.SpeedWith(d.GPUs, j.Ask.Amounts())
		}
	}
	return strings.Join(out, "; "), throughput
}

// TestWorkedCase: one server of 4 GPUs and 12 cores, as it was worked out by hand.
func TestWorkedCase(t *testing.T) {
	for name, c := range map[string]struct {
		params     paper.Params
		want       string
		throughput float64
	}{
		"as published, others are set back to their share": {paper.Params{"fill": false, "retune": true}, "start n1 3; start n1 3; start n1 1; start n1 1", 4},
		"what is left over is given":                       {nil, "start n1 6; start n1 4; start n1 1; start n1 1", 5.05},
		"all as one machine":                               {paper.Params{"how": "opt"}, "start n1 6; start n1 4; start n1 1; start n1 1", 5.05},
		"by share":                                         {paper.Params{"how": "proportional"}, "start n1 3; start n1 3; start n1 3; start n1 3", 4},
		"the greedy wait":                                  {paper.Params{"how": "greedy"}, "start n1 9; wait; start n1 1; start n1 1", 4.4},
	} {
		t.Run(name, func(t *testing.T) {
			s := cluster(1, 4, "resnet18", "mobilenet", "transformer", "gnmt")
			got, throughput := describe(s, decide(t, s, c.params))
			if got != c.want || math.Abs(throughput-c.throughput) > 1e-9 {
				t.Errorf("%s, %g together; want %s, %g", got, throughput, c.want, c.throughput)
			}
		})
	}
}

// TestUnlikeJobsTogether: on two servers one that needs cores stands beside one that does not, on each.
func TestUnlikeJobsTogether(t *testing.T) {
	for _, retune := range []bool{false, true} {
		s := cluster(2, 2, "gnmt", "resnet18", "resnet18", "gnmt")
		got, _ := describe(s, decide(t, s, paper.Params{"retune": retune}))
		if want := "start n1 1; start n1 5; start n2 5; start n2 1"; got != want {
			t.Errorf("retune %v: %s, want %s", retune, got, want)
		}
	}
}

// TestOwnersWord: who accepts no less keeps what he asked, who says nothing gets it, and more is no harm.
func TestOwnersWord(t *testing.T) {
	s := cluster(1, 4, "resnet18", "gnmt", "gnmt", "gnmt")
	s.Jobs[1].CPUScaling.AcceptsLess = false
	s.Jobs[2].CPUScaling = nil
	if got, _ := describe(s, decide(t, s, nil)); got != "start n1 5; start n1 3; start n1 3; start n1 1" {
		t.Error(got)
	}
}

// TestIdleGPUs: the share of GPUs that are free is left for who comes, unless cores can be taken back.
func TestIdleGPUs(t *testing.T) {
	for retune, want := range map[bool]string{false: "start n1 3", true: "start n1 9"} {
		s := cluster(1, 4, "resnet18")
		if got, _ := describe(s, decide(t, s, paper.Params{"retune": retune})); got != want {
			t.Errorf("retune %v: %s, want %s", retune, got, want)
		}
	}
}

// run lets the first jobs run on n1 with so many cores each, since the time given.
func run(s *policy.Snapshot, ago time.Duration, cores ...int) *policy.Snapshot {
	for i, c := range cores {
		j := &s.Jobs[i]
		j.State, j.Start, j.On, j.Given = policy.Running, now.Add(-ago), policy.Alloc{{Node: "n1", Type: "v100", Count: 1}}, policy.Amounts{CPUs: c, MemMB: 20_000}
	}
	return s
}

// TestRunningJobs: what runs keeps its cores, or is restarted with others where that is allowed and it
// ran long enough.
func TestRunningJobs(t *testing.T) {
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		params   paper.Params
		want     string
	}{
		"there is enough":               {run(cluster(1, 2, "resnet18", "gnmt"), time.Hour, 5), nil, "keep n1 5; start n1 1"},
		"there is not enough":           {run(cluster(1, 2, "resnet18", "mobilenet"), time.Hour, 5), nil, "keep n1 5; wait"},
		"it is restarted with its part": {run(cluster(1, 2, "resnet18", "mobilenet"), time.Hour, 5), paper.Params{"retune": true}, "move n1 3; start n1 3"},
		"not so soon":                   {run(cluster(1, 2, "resnet18", "mobilenet"), time.Minute, 5), paper.Params{"retune": true}, "keep n1 5; wait"},
		"a neighbour left":              {run(cluster(1, 2, "resnet18"), time.Hour, 5), paper.Params{"retune": true}, "move n1 6"},
		"nothing changed":               {run(cluster(1, 2, "resnet18", "gnmt"), time.Hour, 5, 1), paper.Params{"retune": true}, "keep n1 5; keep n1 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, _ := describe(c.snapshot, decide(t, c.snapshot, c.params)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestMemory: memory counts as cores do: with it a job of sound is faster, and one that needs it goes
// where it is.
func TestMemory(t *testing.T) {
	s := cluster(1, 2, "gnmt", "gnmt")
	s.Jobs[0].CPUScaling = &policy.CPUScaling{AcceptsLess: true, Points: []policy.CPUPoint{{CPUs: 1, MemMB: 20_000, Speed: .3}, {CPUs: 3, MemMB: 60_000, Speed: 1}, {CPUs: 3, MemMB: 100_000, Speed: 2}}}
	plan := decide(t, s, nil)
	if d := plan.Decisions[0]; d.Given.MemMB != 100_000 {
		t.Errorf("given %v", d.Given)
	}
	if d := plan.Decisions[1]; d.Given != (policy.Amounts{CPUs: 1, MemMB: 20_000}) {
		t.Errorf("given %v", d.Given)
	}
}

// TestWide: a gang of several nodes has its cores in proportion to its GPUs on each.
func TestWide(t *testing.T) {
	s := cluster(2, 2, "resnet18", "gnmt")
	s.Jobs[0].Ask = policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: 3}, CPUs: 9, MemMB: 180_000}
	got, _ := describe(s, decide(t, s, nil))
	if got != "start n1,n2 9; start n2 1" && got != "start n1,n2 9; start n1 1" {
		t.Error(got)
	}
}

// TestBases: whose turn it is, and who gives way.
func TestBases(t *testing.T) {
	for base, want := range map[string]string{"fifo": "keep n1 3; wait", "las": "stop; start n1 3", "srtf": "stop; start n1 3"} {
		s := cluster(1, 1, "resnet18", "resnet18")
		s.Jobs[0].Limit, s.Jobs[1].Limit, s.Jobs[0].Attained = 9*time.Hour, time.Hour, 3600
		run(s, time.Hour, 3)
		s.Jobs[0].Given = policy.Amounts{}
		if got, _ := describe(s, decide(t, s, paper.Params{"base": base})); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}
