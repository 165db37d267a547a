package exact_test

import (
	"math"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// script says which jobs run after the first decision, the second, …; the last
// line holds for all that follow. A job is put on the first nodes with room.
type script [][]policy.JobID

func (sc script) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	want := map[policy.JobID]bool{}
	for _, id := range sc[min(int(s.Seq), len(sc))-1] {
		want[id] = true
	}
	free := map[string]int{}
	for _, n := range s.Nodes {
		free[n.Name] = n.GPUs[0].Count
	}
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: "script"}
	for i := range s.Jobs {
		for _, slot := range s.Jobs[i].On {
			if want[s.Jobs[i].ID] {
				free[slot.Node] -= slot.Count
			}
		}
	}
	for i := range s.Jobs {
		plan.Decisions = append(plan.Decisions, decide(s, &s.Jobs[i], want[s.Jobs[i].ID], free, i+1))
	}
	return plan, nil
}

func decide(s *policy.Snapshot, j *policy.Job, run bool, free map[string]int, rank int) policy.Decision {
	d := policy.Decision{Job: j.ID, Rank: rank, GPUs: j.Ask.GPUs.Count, Why: "the script says so", Verb: policy.Wait}
	switch {
	case j.HoldsGPUs() && run:
		d.Verb, d.On = policy.Keep, j.On
	case j.HoldsGPUs():
		d.Verb = policy.Stop
	case run:
		d.Verb = policy.Start
		need := j.Ask.GPUs.Count
		for _, n := range s.Nodes {
			if c := min(need, free[n.Name]); c > 0 {
				d.On = append(d.On, policy.Slot{Node: n.Name, Type: n.GPUs[0].Type, Count: c})
				free[n.Name] -= c
				need -= c
			}
		}
	}
	return d
}

// play runs a simulation whose every plan is checked.
func play(t *testing.T, c exact.Config) *measure.Run {
	t.Helper()
	watch := c.WatchDecision
	c.WatchDecision = func(s *policy.Snapshot, p *policy.Plan) {
		if err := p.Check(s); err != nil {
			t.Errorf("decision %d: %v", s.Seq, err)
		}
		if watch != nil {
			watch(s, p)
		}
	}
	run, err := exact.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func same(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// job is one that runs so many seconds on a GPU.
func job(id int64, arrive, duration float64) workload.Job {
	return workload.Job{ID: id, Arrive: arrive, Duration: duration, GPUs: 1, User: "ann", Account: "nlp"}
}

var one = nodes(1, 1, "v100")
