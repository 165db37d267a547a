package size_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/size"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type wish struct{ ask, low, high, runs int }

// snapshot is a node of 8 a100 with a job for each wish, in line as listed.
func snapshot(wishes ...wish) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.Devices{{Type: "a100", Count: 8}}}}}
	for i, w := range wishes {
		j := policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Pending, Arrive: now.Add(time.Duration(i) * time.Second).Add(-time.Hour),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: w.ask}}, MinGPUs: w.low, MaxGPUs: w.high}
		if w.runs > 0 {
			j.State, j.Start, j.On = policy.Running, now.Add(-time.Hour), policy.Alloc{{Node: "n1", Type: "a100", Count: w.runs}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

func TestElastic(t *testing.T) {
	for _, c := range []struct {
		name   string
		wishes []wish
		want   []int // devices each runs on by the plan; 0: it waits
	}{
		{"rigid", []wish{{ask: 6}, {ask: 2}}, []int{6, 2}},
		{"alone it takes all it can use", []wish{{ask: 2, low: 1, high: 6}}, []int{6}},
		{"two: the least of both, the rest to the first", []wish{{ask: 4, low: 1, high: 6}, {ask: 4, low: 2, high: 6}}, []int{6, 2}},
		{"rigid first", []wish{{ask: 5}, {ask: 4, low: 1, high: 8}}, []int{5, 3}},
		{"shrinks for one behind", []wish{{ask: 4, low: 2, high: 8, runs: 8}, {ask: 3}}, []int{5, 3}},
		{"grows to double", []wish{{ask: 4, low: 2, high: 8, runs: 4}}, []int{8}},
		{"not for little", []wish{{ask: 4, low: 2, high: 7, runs: 4}}, []int{4}},
		{"who finds no minimum waits", []wish{{ask: 8}, {ask: 2, low: 1, high: 2}}, []int{8, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := snapshot(c.wishes...)
			plan, err := engine.Pipeline{Size: size.Elastic{}}.Decide(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := plan.Check(s); err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, d := range plan.Decisions {
				got = append(got, d.On.Count())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("runs on %v, want %v: %+v", got, c.want, plan.Decisions)
			}
		})
	}
}

// TestElasticKeepsTheRules wants fixed and young jobs to keep their size.
func TestElasticKeepsTheRules(t *testing.T) {
	for name, change := range map[string]func(*policy.Job){
		"fixed": func(j *policy.Job) { j.Fixed = "owner" },
		"young": func(j *policy.Job) { j.Start = now.Add(-time.Minute) },
		"often": func(j *policy.Job) { j.Stops = 3 },
	} {
		s := snapshot(wish{ask: 4, low: 1, high: 8, runs: 8}, wish{ask: 4})
		change(&s.Jobs[0])
		plan, err := engine.Pipeline{Size: size.Elastic{}}.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[0]; d.Verb != policy.Keep || plan.Check(s) != nil {
			t.Errorf("%s: %s %v, want kept", name, d.Verb, d.On)
		}
	}
}

func TestAsked(t *testing.T) {
	s := snapshot(wish{ask: 4, low: 1, high: 8, runs: 6}, wish{ask: 2, low: 1, high: 8})
	asked, err := engine.Pipeline{Size: size.Asked{}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asked.Decisions[0], asked.Decisions[1]; a.Verb != policy.Keep || a.GPUs != 6 || b.GPUs != 2 || b.Verb != policy.Start {
		t.Errorf("got %+v, want 6 kept and 2 started", asked.Decisions)
	}
}
