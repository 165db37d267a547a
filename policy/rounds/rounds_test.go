package rounds_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/rounds"
)

var start = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// cluster has one node of so many GPUs of each type.
func cluster(types map[string]int, jobs ...policy.Job) *policy.Snapshot {
	s := &policy.Snapshot{Now: start, Jobs: jobs}
	for _, typ := range []string{"a100", "v100"} {
		if n := types[typ]; n > 0 {
			s.Nodes = append(s.Nodes, policy.Node{Name: typ, Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: typ, Count: n}}})
		}
	}
	return s
}

func job(id policy.JobID, gpus int) policy.Job {
	return policy.Job{ID: id, Partition: "gpu", State: policy.Pending, Arrive: start, ServiceSinceLast: policy.KnownValue(0), Ask: policy.Ask{GPUs: policy.GPUs{Count: gpus}}}
}

// fixed gives each job the same fractions at every computation.
func fixed(x map[policy.JobID][]float64, asked *int) rounds.FractionsFunc {
	return func(r *engine.Round, _ []string) ([][]float64, error) {
		*asked++
		rows := make([][]float64, len(r.Entries))
		for i, e := range r.Entries {
			rows[i] = x[e.ID]
		}
		return rows, nil
	}
}

// decide asks for a plan and carries it out in the snapshot: what runs then has
// run for the seconds when asked next.
func decide(t *testing.T, s *policy.Snapshot, stage *rounds.Allocator, seconds float64) (run string) {
	t.Helper()
	plan, err := engine.Pipeline{Name: "test", Allocate: stage,
		Rules: engine.Rules{MinRun: time.Second, MaxStops: -1, MaxWait: -1}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	for i, d := range plan.Decisions {
		j := &s.Jobs[i]
		switch d.Verb {
		case policy.Start, policy.Move:
			j.State, j.On, j.Start = policy.Running, d.On, s.Now
		case policy.Stop:
			j.State, j.On = policy.Pending, nil
		}
		if j.ServiceSinceLast = policy.KnownValue(0); j.HoldsGPUs() {
			j.ServiceSinceLast.Value = seconds * float64(d.GPUs)
			j.Attained += policy.GPUSeconds(j.ServiceSinceLast.Value)
			run += fmt.Sprintf("%d:%s ", j.ID, j.On[0].Type)
		}
	}
	s.Now = s.Now.Add(time.Duration(seconds) * time.Second)
	return run
}

func TestRoundsFollowTheFractions(t *testing.T) {
	// Two GPUs. Job 1 of two GPUs is due half of the time, jobs 2 and 3 of one GPU
	// a quarter and three quarters. All begin with 60 of 180 s, so the first
	// priorities are 1.5, .75 and 2.25.
	asked := 0
	stage := rounds.Allocator{RoundLength: 2 * time.Minute, MinRecomputeInterval: time.Hour, Fractions: fixed(map[policy.JobID][]float64{1: {.5}, 2: {.25}, 3: {.75}}, &asked)}
	s := cluster(map[string]int{"v100": 2}, job(1, 2), job(2, 1), job(3, 1))
	var got []string
	for range 4 {
		got = append(got, decide(t, s, &stage, 120))
	}
	// 3 and what fits beside it. Then times 60, 180, 180 of 420: 3.5, .58, 1.75.
	// Then 180, 180, 180 of 540: 1.5, .75, 2.25. Then 180, 300, 300 of 780: job 1.
	want := []string{"2:v100 3:v100 ", "1:v100 ", "2:v100 3:v100 ", "1:v100 "}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if asked != 1 {
		t.Errorf("fractions were computed %d times, want once", asked)
	}
	if d := cmp.Diff([]float64{180, 300, 300}, stage.State.ReceivedSinceComputed); d != "" {
		t.Errorf("received before the last round: %s", d)
	}
}

func TestDeficitDecidesTies(t *testing.T) {
	// One GPU, two jobs of the same fraction: after each computation both have
	// half a round, and the one that got less before goes first.
	asked := 0
	stage := rounds.Allocator{RoundLength: 2 * time.Minute, Fractions: fixed(map[policy.JobID][]float64{1: {.5}, 2: {.5}, 3: {0}}, &asked)}
	s := cluster(map[string]int{"v100": 1}, job(1, 1), job(2, 1))
	first := decide(t, s, &stage, 120)
	s.Jobs = append(s.Jobs, job(3, 1)) // an arrival, so fractions are computed anew
	second := decide(t, s, &stage, 120)
	if first != "1:v100 " || second != "2:v100 " || asked != 2 {
		t.Errorf("ran %q then %q, computed %d times", first, second, asked)
	}
	if d := cmp.Diff([]float64{60 - 120, 60, 0}, stage.State.DeficitSeconds); d != "" {
		t.Errorf("deficits: %s", d)
	}
}

func TestComputedWhenSomethingHappensButNotTooOften(t *testing.T) {
	asked := 0
	stage := rounds.Allocator{RoundLength: 2 * time.Minute, MinRecomputeInterval: 1000 * time.Second, NewJobsWait: true, Fractions: fixed(map[policy.JobID][]float64{1: {1}, 2: {1}}, &asked)}
	s := cluster(map[string]int{"v100": 4}, job(1, 1))
	decide(t, s, &stage, 120)
	s.Jobs = append(s.Jobs, job(2, 1))
	decide(t, s, &stage, 120) // at once: the last computation was the very first
	if asked != 2 {
		t.Errorf("computed %d times, want twice", asked)
	}
	s.Jobs = append(s.Jobs, job(3, 1))
	for range 8 {
		if run := decide(t, s, &stage, 120); run != "1:v100 2:v100 " {
			t.Errorf("ran %q; job 3 has no fraction yet and must wait", run)
		}
	}
	if run := decide(t, s, &stage, 120); run != "1:v100 2:v100 3:v100 " || asked != 3 {
		t.Errorf("1080 s after the last computation ran %q, computed %d times", run, asked)
	}
	// A lease without run time is a failed round.
	s.Jobs[0].ServiceSinceLast = policy.KnownValue(0)
	decide(t, s, &stage, 960)
	decide(t, s, &stage, 120)
	if asked != 4 {
		t.Errorf("computed %d times after a failed round, want 4", asked)
	}
}

func TestTypesAreDealtOutOneByOne(t *testing.T) {
	// Job 1 is due the a100, job 2 the v100, which it alone can run on; job 3 wants
	// two GPUs of one type, of which there are none.
	asked := 0
	stage := rounds.Allocator{RoundLength: 2 * time.Minute, Fractions: fixed(map[policy.JobID][]float64{1: {.9, .1}, 2: {.9, .1}, 3: {1, 1}}, &asked)}
	s := cluster(map[string]int{"a100": 1, "v100": 1}, job(1, 1), job(2, 1), job(3, 2))
	s.Jobs[1].Training = &policy.Training{Rates: []policy.Rate{{Type: "v100", StepsPerSecond: 1}}}
	if run := decide(t, s, &stage, 120); run != "1:a100 2:v100 " {
		t.Errorf("ran %q", run)
	}
}

func TestStateSurvivesStorage(t *testing.T) {
	asked := 0
	stage := rounds.Allocator{RoundLength: 2 * time.Minute, Fractions: fixed(map[policy.JobID][]float64{1: {1.0 / 3}}, &asked)}
	s := cluster(map[string]int{"v100": 1}, job(1, 1), job(2, 1))
	decide(t, s, &stage, 119.7)
	raw, err := json.Marshal(stage.State)
	if err != nil {
		t.Fatal(err)
	}
	var back rounds.AllocatorState
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(stage.State, back); d != "" {
		t.Error(d)
	}
}

func TestWrongFractionsAreRefused(t *testing.T) {
	for _, x := range [][][]float64{{}, {{1, 2}}} {
		stage := rounds.Allocator{Fractions: func(*engine.Round, []string) ([][]float64, error) { return x, nil }}
		_, err := engine.Pipeline{Allocate: &stage}.Decide(cluster(map[string]int{"v100": 1}, job(1, 1)))
		if err == nil {
			t.Errorf("%v was taken", x)
		}
	}
}

// TestDeficitByTheClock: a clock more exact than nanoseconds decides the deficit,
// to the last bit, as published simulators count.
func TestDeficitByTheClock(t *testing.T) {
	asked, at := 0, 119.97999999999999
	stage := rounds.Allocator{RoundLength: 2 * time.Minute, Fractions: fixed(map[policy.JobID][]float64{1: {.3}, 2: {0}}, &asked)}
	s := cluster(map[string]int{"v100": 1}, job(1, 1))
	s.ClockSeconds = 1000
	decide(t, s, &stage, 120)
	s.ClockSeconds += at
	s.Jobs = append(s.Jobs, job(2, 1)) // an arrival, so fractions are computed anew
	decide(t, s, &stage, 120)
	if want := .3*(1000+at-1000) - 120; stage.State.DeficitSeconds[0] != want {
		t.Errorf("deficit %v, want %v", stage.State.DeficitSeconds[0], want)
	}
}
