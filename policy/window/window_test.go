package window_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/window"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func settings() *window.Settings {
	return &window.Settings{RoundLength: 2 * time.Minute, RoundsPlanned: 20, ReplanAfterRounds: 8, LongestRestCost: 1e-3, LatenessPower: 12, RhoMax: 1, MaxWeight: 1e3}
}

func cluster(types ...string) []policy.Node {
	var nodes []policy.Node
	for i, typ := range types {
		nodes = append(nodes, policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: typ, Count: 1}}})
	}
	return nodes
}

// job waits since a minute; it has so many epochs of a minute.
func job(id, epochs, done int) policy.Job {
	return policy.Job{ID: policy.JobID(id), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Minute),
		Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Training: &policy.Training{Epochs: epochs, EpochsDone: done,
			SeenRegimes: []policy.Regime{{BatchSize: 1, Epochs: float64(done + 1), SecondsPerEpoch: 60}}, PossibleRegimes: []policy.Regime{{BatchSize: 1, SecondsPerEpoch: 60}}}}
}

// decide plans for the jobs and returns what runs.
func decide(t testing.TB, s *policy.Snapshot, o *window.Settings, last *window.Plan) (runs []policy.JobID, plan *policy.Plan, next *window.Plan) {
	t.Helper()
	p := &window.Planner{Settings: o, LastPlan: last}
	plan, err := engine.Pipeline{Allocate: p, Backfill: backfill.Greedy{}, Rules: engine.Rules{MinRun: time.Second, MaxStops: -1}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range plan.Decisions {
		if d.Verb == policy.Start || d.Verb == policy.Keep {
			runs = append(runs, d.Job)
		}
	}
	return runs, plan, p.NextPlan
}

func TestPlanIsKept(t *testing.T) {
	s := &policy.Snapshot{Now: now, Nodes: cluster("v100"), Jobs: []policy.Job{job(1, 30, 0), job(2, 30, 0)}}
	_, _, first := decide(t, s, settings(), nil)
	for _, c := range []struct {
		name   string
		change func(*policy.Snapshot)
		kept   bool
	}{
		{"three rounds later", func(s *policy.Snapshot) { s.Now = now.Add(6 * time.Minute) }, true},
		{"a round a little short", func(s *policy.Snapshot) { s.Now = now.Add(119 * time.Second) }, true},
		{"eight rounds later", func(s *policy.Snapshot) { s.Now = now.Add(16 * time.Minute) }, false},
		{"a job came", func(s *policy.Snapshot) { s.Jobs = append(slices.Clone(s.Jobs), job(3, 2, 0)) }, false},
		{"a job left", func(s *policy.Snapshot) { s.Jobs = s.Jobs[:1] }, false},
		{"time went back", func(s *policy.Snapshot) { s.Now = now.Add(-time.Hour) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			later := *s
			c.change(&later)
			if _, _, next := decide(t, &later, settings(), first); (next == first) != c.kept {
				t.Errorf("kept %v, want %v", next == first, c.kept)
			}
		})
	}
}

func TestTurns(t *testing.T) {
	one := cluster("v100")
	fresh, ending, late := job(1, 2, 0), job(2, 30, 29), job(2, 30, 29) // each needs a round
	fresh.Arrive, ending.Arrive, late.Arrive = now, now.Add(-40*time.Minute), now.Add(-10*time.Hour)
	for name, c := range map[string]struct {
		nodes []policy.Node
		jobs  []policy.Job
		want  []policy.JobID
	}{
		"late":                 {one, []policy.Job{fresh, late}, []policy.JobID{2}},
		"none is late":         {one, []policy.Job{fresh, ending}, []policy.JobID{1}},
		"the longest fills up": {cluster("v100", "v100"), []policy.Job{job(1, 2, 1), job(2, 90, 80), job(3, 4000, 0)}, []policy.JobID{1, 3}},
		"no GPU idles":         {cluster("v100", "v100"), []policy.Job{job(1, 3, 0)}, []policy.JobID{1}},
	} {
		t.Run(name, func(t *testing.T) {
			o := settings()
			if name == "the longest fills up" {
				o.RoundsPlanned = 1
			}
			s := &policy.Snapshot{Now: now, Nodes: c.nodes, Jobs: c.jobs}
			if runs, _, _ := decide(t, s, o, nil); !slices.Equal(runs, c.want) {
				t.Errorf("%v run, want %v", runs, c.want)
			}
		})
	}
}

// TestTypes: jobs that may go anywhere go where they gain most compared with
// others.
func TestTypes(t *testing.T) {
	fast, slow := job(1, 30, 0), job(2, 30, 0)
	fast.Training.Rates = []policy.Rate{{Type: "k80", StepsPerSecond: 1}, {Type: "v100", StepsPerSecond: 4}}
	slow.Training.Rates = []policy.Rate{{Type: "k80", StepsPerSecond: 1}, {Type: "v100", StepsPerSecond: 2}}
	s := &policy.Snapshot{Now: now, Nodes: cluster("k80", "v100"), Jobs: []policy.Job{fast, slow}}
	_, plan, _ := decide(t, s, settings(), nil)
	for i, want := range []string{"v100", "k80"} {
		if d := plan.Decisions[i]; len(d.On) != 1 || d.On[0].Type != want {
			t.Errorf("job %d on %v, want %s", d.Job, d.On, want)
		}
	}
}

// TestUnknown: of jobs of which nothing is known, the one that had less goes
// first.
func TestUnknown(t *testing.T) {
	a, b := job(1, 0, 0), job(2, 0, 0)
	a.Training, b.Training = nil, nil
	a.Attained = policy.ServiceForTime(1, 10*time.Hour)
	s := &policy.Snapshot{Now: now, Nodes: cluster("v100"), Jobs: []policy.Job{a, b}}
	o := settings()
	o.LongestRestCost = 0
	if runs, _, _ := decide(t, s, o, nil); !slices.Equal(runs, []policy.JobID{2}) {
		t.Errorf("%v run, want the one that had nothing", runs)
	}
}

// BenchmarkPlan is a whole decision with a new plan.
func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct{ jobs, gpus int }{{120, 32}, {900, 256}, {10_000, 4096}} {
		b.Run(fmt.Sprint(c.jobs), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			s := &policy.Snapshot{Now: now, Nodes: cluster(slices.Repeat([]string{"v100"}, c.gpus)...), OmitReasons: true}
			for i := range c.jobs {
				epochs := 10 + r.IntN(200)
				j := job(i+1, epochs, r.IntN(epochs))
				j.Arrive, j.Ask.GPUs.Count = now.Add(-time.Duration(r.IntN(20_000))*time.Second), 1<<r.IntN(4)
				s.Jobs = append(s.Jobs, j)
			}
			for b.Loop() {
				decide(b, s, settings(), nil)
			}
		})
	}
}
