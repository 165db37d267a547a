package engine_test

import (
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

// TestPatience has one node of 8 GPUs: a job on 6 with a limit of 10 hours, a
// gang that wants all 8, and a short job on 2 that came later, with a limit of
// 12 hours and forecast to take half an hour. Greedy lets it pass until the gang
// may not wait any longer.
func TestPatience(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		waited   time.Duration
		patience float64
		passes   bool
	}{
		"it waited too short":                       {7 * time.Hour, 2, true},
		"a forecast that fits passes":               {9 * time.Hour, 2, true},
		"it waited twice as long: limits count":     {17 * time.Hour, 2, false},
		"no patience is given":                      {17 * time.Hour, 0, true},
		"it waited for longer than any job may":     {25 * time.Hour, 0, false},
		"patience is no less than least, two hours": {119 * time.Minute, .01, true},
		"least is over, and twice of it":            {4*time.Hour + time.Minute, .01, false},
	} {
		ask := func(n int) policy.Ask { return policy.Ask{GPUs: policy.GPUs{Count: n}} }
		s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}},
			Jobs: []policy.Job{
				{ID: 1, Partition: "p", State: policy.Running, Start: now.Add(-time.Minute), Limit: 10 * time.Hour, UnstoppableReason: "fixed", Ask: ask(6),
					On: policy.Alloc{{Node: "n1", Type: "a100", Count: 6}}},
				{ID: 2, Partition: "p", State: policy.Pending, Arrive: now.Add(-c.waited), Limit: 4 * time.Hour, Ask: ask(8)},
				{ID: 3, Partition: "p", State: policy.Pending, Arrive: now, Limit: 12 * time.Hour, PredictedLeft: 20 * time.Minute, PredictedSigma: 10 * time.Minute, Ask: ask(2)},
			}}
		plan, err := engine.Pipeline{Predict: forecast{}, Lease: grant.Fastest{}, Backfill: backfill.Greedy{}, Rules: engine.Rules{PatienceFactor: c.patience}}.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[2]; (d.Verb == policy.Start) != c.passes {
			t.Errorf("%s: %s (%s), want it to pass: %v", name, d.Verb, d.Why, c.passes)
		}
	}
}

// forecast predicts what the snapshot says.
type forecast struct{}

// Predict implements engine.Predictor.
func (forecast) Predict(_ *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	return engine.TimeLeftEstimate{TimeLeft: e.PredictedLeft, TimeLeftSigma: e.PredictedSigma}
}

// TestReserver: of the jobs that are granted nothing, the one the Backfiller
// reserves for keeps its turn before those that are, and gets what it waits for.
func TestReserver(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for reserved, want := range map[policy.JobID]policy.Verb{2: policy.Hold, 9: policy.Start} {
		s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}}
		for i, gpus := range []int{6, 8, 2} {
			s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Pending, Limit: 12 * time.Hour,
				Arrive: now.Add(time.Duration(i) * time.Second), Ask: policy.Ask{GPUs: policy.GPUs{Count: gpus}}})
		}
		j := &s.Jobs[0]
		j.State, j.Start, j.Limit, j.UnstoppableReason, j.On = policy.Running, now, 10*time.Hour, "fixed", policy.Alloc{{Node: "n1", Type: "a100", Count: 6}}
		plan, err := engine.Pipeline{Lease: grant.Fastest{}, Backfill: only{backfill.EASY{}, reserved}}.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[2]; d.Verb != want {
			t.Errorf("reserved for job %d: job 3 %s (%s), want %s", reserved, d.Verb, d.Why, want)
		}
	}
}

// only reserves for one job.
type only struct {
	backfill.EASY
	job policy.JobID
}

// Reserves implements engine.Reserver.
func (o only) Reserves(_ *engine.Round, e *engine.Entry) bool { return e.ID == o.job }

// TestNobodyKnowsWhen: where no job has a time limit, a gang of 6 that waited a
// day gets what the first of the others leaves: a later job may not have it
// because others will end some day too.
func TestNobodyKnowsWhen(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}}
	for i, gpus := range []int{4, 2, 6, 2} {
		j := policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Pending, Arrive: now, UnstoppableReason: "fixed", Ask: policy.Ask{GPUs: policy.GPUs{Count: gpus}}}
		if i < 2 {
			j.State, j.Start, j.On = policy.Running, now, policy.Alloc{{Node: "n1", Type: "a100", Count: gpus}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	s.Jobs[2].Arrive = now.Add(-25 * time.Hour)
	plan, err := engine.Pipeline{Backfill: backfill.Greedy{}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if d := plan.Decisions[3]; d.Verb == policy.Start {
		t.Errorf("job 4 starts: %s", d.Why)
	}
}
