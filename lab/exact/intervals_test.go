package exact_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	policyengine "fairbridge/policy/engine"
	"fairbridge/replica/workload"
)

func TestJobsEndAtTheirTimes(t *testing.T) {
	// Asked every 60 s at most: at 0, and at 60 for all that happened since. What
	// ends at 30.5 leaves its GPU idle until then.
	run := play(t, exact.Config{Policy: policyengine.Pipeline{}, Nodes: one, Clock: exact.NewEventClock(time.Minute, 0, 0),
		Jobs: []workload.Job{job(1, 0, 30.5), job(2, 10, 100), job(3, 20, 5)}})
	for i, want := range []float64{30.5, 160, 165} {
		same(t, "finish", run.JobOutcomes[i].Finish, want)
	}
	if len(run.DecideSeconds) != 3 {
		t.Errorf("%d decisions, want 3: at 0, 60 and 160", len(run.DecideSeconds))
	}
	// From 0 to 30.5 there were 1, 2 and 3 jobs.
	same(t, "jobs present", run.JobOutcomes[0].MeanJobsPresent, (10+2*10+3*10.5)/30.5)
}

func TestRecheckAsksAgain(t *testing.T) {
	run := play(t, exact.Config{Policy: policyengine.Pipeline{}, Nodes: one, Clock: exact.NewEventClock(0, 30*time.Second, 0), Jobs: []workload.Job{job(1, 0, 100)}})
	if len(run.DecideSeconds) != 4 {
		t.Errorf("%d decisions, want 4: at 0, 30, 60 and 90", len(run.DecideSeconds))
	}
}

func TestStopsCost(t *testing.T) {
	// Job 1 runs 30 of 100 s, waits for job 2, and starts again at 60 with 20 s
	// (its own cost, job 2's is the clock's) before it goes on.
	first := job(1, 0, 100)
	first.RestartCostSeconds = 20
	run := play(t, exact.Config{Policy: script{{1}, {2}, {1}}, Nodes: one, Clock: exact.NewEventClock(0, 0, 5*time.Second),
		Jobs: []workload.Job{first, job(2, 30, 30)}})
	same(t, "finish of job 2", run.JobOutcomes[1].Finish, 60)
	same(t, "finish of job 1", run.JobOutcomes[0].Finish, 60+20+70)
	same(t, "lost", run.JobOutcomes[0].LostService, 20)
	same(t, "service", run.JobOutcomes[0].Service, 120)
	same(t, "queue", run.Summarize().AvgQueueSeconds, 30.0/2)
}

func TestNeighboursSlowEachOther(t *testing.T) {
	a, b := job(1, 0, 60), job(2, 0, 120)
	a.IsShareable, b.IsShareable = true, true
	run := play(t, exact.Config{Policy: crammed{}, Nodes: one, Clock: exact.NewEventClock(0, 0, 0), Jobs: []workload.Job{a, b}})
	// At 0.6 each, job 1 takes 100 s; job 2 has then done 60 and goes on alone.
	same(t, "finish of job 1", run.JobOutcomes[0].Finish, 100)
	same(t, "finish of job 2", run.JobOutcomes[1].Finish, 160)
}

func TestSpeedsByType(t *testing.T) {
	j := job(1, 0, 100)
	j.Speeds = map[string]float64{"a100": 4, "v100": 1}
	run := play(t, exact.Config{Policy: policyengine.Pipeline{}, Nodes: nodes(1, 1, "a100"), Clock: exact.NewEventClock(0, 0, 0), Jobs: []workload.Job{j}})
	same(t, "finish", run.JobOutcomes[0].Finish, 25)
}

// grow resizes job 1 to two GPUs at the second decision.
type grow struct{ script }

func (g grow) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p, err := g.script.Decide(s)
	if s.Seq == 2 {
		d := &p.Decisions[0]
		d.Verb, d.GPUs, d.On = policy.Resize, 2, policy.Alloc{{Node: "n0000", Type: "v100", Count: 2}}
	}
	return p, err
}

func TestResizedJobsGoInProportion(t *testing.T) {
	j := job(1, 0, 100)
	j.MinGPUs, j.MaxGPUs = 1, 2
	run := play(t, exact.Config{Policy: grow{script{{1}}}, Nodes: nodes(1, 2, "v100"), Clock: exact.NewEventClock(0, 40*time.Second, 10*time.Second), Jobs: []workload.Job{j}})
	same(t, "finish", run.JobOutcomes[0].Finish, 40+10+30)
	same(t, "service", run.JobOutcomes[0].Service, 40+2*40)
}

func TestUsageDecays(t *testing.T) {
	// An hour of one GPU; a week later half of it counts, and nothing of it lies
	// in the last day.
	c := exact.Config{Policy: policyengine.Pipeline{}, Nodes: one, Clock: exact.NewEventClock(0, 0, 0),
		Jobs: []workload.Job{job(1, 0, 3600), job(2, 3600+7*86400, 10)}}
	var accounts []policy.Account
	var users []policy.User
	var history []policy.FinishedJob
	c.WatchDecision = func(s *policy.Snapshot, _ *policy.Plan) {
		accounts, users, history = append(accounts, s.Accounts...), append(users, s.Users...), s.History
	}
	play(t, c)
	last := accounts[len(accounts)-1]
	same(t, "decayed use", float64(last.UsedService), 1800)
	same(t, "use of the last day", float64(last.RecentService), 0)
	same(t, "decayed use of the user", float64(users[len(users)-1].UsedService), 1800)
	if len(history) != 1 || history[0].Service != 3600 {
		t.Errorf("history %+v", history)
	}
}

func TestErrorsNameTheJob(t *testing.T) {
	unknown := lm(workload.StaticMode, 100)
	unknown.Line = 7
	twice := job(1, 0, 1)
	twice.Line = 9
	wide := job(4, 0, 1)
	wide.GPUs = 2
	for want, c := range map[string]exact.Config{
		"job 1 (line 7): no speed of LM":                 {Policy: policyengine.Pipeline{}, Nodes: one, Jobs: []workload.Job{unknown}},
		"job id 1 is given twice: lines 0 and 9":         {Policy: policyengine.Pipeline{}, Nodes: one, Jobs: []workload.Job{job(1, 0, 1), twice}},
		"the policy starts none of them":                 {Policy: policyengine.Pipeline{}, Nodes: one, Jobs: []workload.Job{wide}},
		"needs a policy and nodes":                       {Policy: policyengine.Pipeline{}},
		"job 2: put on n0000:1×v100: 1 GPUs too few":     {Policy: crammed{}, Nodes: one, Jobs: []workload.Job{job(1, 0, 1), job(2, 0, 1)}},
		"1 decisions for 2 jobs":                         {Policy: crammed{forget: true}, Nodes: one, Jobs: []workload.Job{job(1, 0, 1), job(2, 0, 1)}},
		"job 3: asks for 0 GPUs":                         {Policy: policyengine.Pipeline{}, Nodes: one, Jobs: []workload.Job{{ID: 3}}},
		`asks for type "h100" and has no speed there; t`: {Policy: policyengine.Pipeline{}, Nodes: one, Jobs: []workload.Job{{ID: 3, GPUs: 1, GPUType: "h100"}}},
	} {
		if _, err := exact.Run(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// crammed starts everybody on the first GPU, or forgets the last job.
type crammed struct{ forget bool }

func (c crammed) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p := &policy.Plan{}
	for i, j := range s.Jobs {
		d := policy.Decision{Job: j.ID, Verb: policy.Start, Rank: i + 1, GPUs: 1, On: policy.Alloc{{Node: "n0000", Type: "v100", Count: 1}}, Why: "all on one"}
		if j.HoldsGPUs() {
			d.Verb = policy.Keep
		}
		p.Decisions = append(p.Decisions, d)
	}
	if c.forget {
		p.Decisions = p.Decisions[1:]
	}
	return p, nil
}

// TestGangsKeepTheirShape: two free GPUs on two nodes are room for a gang of two, unless it asks
// for them on one node as its owner would ask Slurm.
func TestGangsKeepTheirShape(t *testing.T) {
	nodes := []policy.Node{
		{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 2}}},
		{Name: "n2", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 2}}},
	}
	gang := job(4, 20, 5)
	gang.GPUs = 2
	for keeps, want := range map[bool]float64{false: 25, true: 105} {
		run := play(t, exact.Config{Policy: policyengine.Pipeline{}, Nodes: nodes, Clock: exact.NewEventClock(0, 0, 0), KeepsNodeShapes: keeps,
			Jobs: []workload.Job{job(1, 0, 100), job(2, 0, 10), job(3, 0, 100), gang}})
		same(t, "finish of the gang", run.JobOutcomes[3].Finish, want)
	}
}
