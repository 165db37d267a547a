package engine_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// elastic is a Sizer that gives, in line order, every job what it needs at least while there
// is something left, and then what remains to the first of the line, up to
// what each can use. Jobs that are not engine.Entry.IsElastic, or that name no
// GPU type, get what they ask.
type elastic struct {
	step float64 // by what factor a running job must be able to grow to be worth its restart; 0: 2
}

func (s elastic) Size(r *engine.Round, line []*engine.Entry) ([]int, error) {
	want, left := make([]int, len(line)), capacity(r)
	served := make([]bool, len(line))
	for i, e := range line {
		want[i] = e.DeviceCount()
		if !r.MayRun(e) {
			continue
		}
		if s.flexible(e) {
			want[i] = e.MinGPUs
		}
		if typ := e.Ask.GPUs.Type; left[typ] >= want[i] || e.HoldsGPUs() {
			left[typ] -= want[i]
			served[i] = true
		}
	}
	for i, e := range line {
		if served[i] && s.flexible(e) {
			more := max(min(e.MaxGPUs-want[i], left[e.Ask.GPUs.Type]), 0)
			left[e.Ask.GPUs.Type] -= more
			want[i] = s.settle(e, want[i]+more)
		}
	}
	return want, nil
}

func (elastic) flexible(e *engine.Entry) bool {
	return e.IsElastic() && e.Ask.GPUs.Type != "" && e.UnstoppableReason == ""
}

// settle leaves a running job at its size unless it shrinks, or grows enough.
func (s elastic) settle(e *engine.Entry, want int) int {
	step := s.step
	if step <= 0 {
		step = 2
	}
	if has := e.On.Count(); e.HoldsGPUs() && want > has && float64(want) < step*float64(has) {
		return has
	}
	return want
}

// capacity returns the devices by type that jobs hold or could get.
func capacity(r *engine.Round) map[string]int {
	c := map[string]int{}
	seen := map[string]bool{}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			if !seen[d.Type] {
				seen[d.Type] = true
				c[d.Type] = r.FreePool.TotalFree(d.Type)
			}
		}
	}
	for _, e := range r.Entries {
		for _, slot := range e.On {
			c[slot.Type] += slot.Count
		}
	}
	return c
}

type wish struct{ ask, low, high, runs int }

// elasticSnapshot is a node of 8 a100 with a job for each wish, in line as listed.
func elasticSnapshot(wishes ...wish) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}}
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
			s := elasticSnapshot(c.wishes...)
			plan, err := engine.Pipeline{Size: elastic{}}.Decide(s)
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
		"fixed": func(j *policy.Job) { j.UnstoppableReason = "owner" },
		"young": func(j *policy.Job) { j.Start = now.Add(-time.Minute) },
		"often": func(j *policy.Job) { j.StopCount = 3 },
	} {
		s := elasticSnapshot(wish{ask: 4, low: 1, high: 8, runs: 8}, wish{ask: 4})
		change(&s.Jobs[0])
		plan, err := engine.Pipeline{Size: elastic{}}.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if d := plan.Decisions[0]; d.Verb != policy.Keep || plan.Check(s) != nil {
			t.Errorf("%s: %s %v, want kept", name, d.Verb, d.On)
		}
	}
}

// TestSizeOfNil wants every job on what it asks, and those that run on what they hold.
func TestSizeOfNil(t *testing.T) {
	s := elasticSnapshot(wish{ask: 4, low: 1, high: 8, runs: 6}, wish{ask: 2, low: 1, high: 8})
	asked, err := engine.Pipeline{}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asked.Decisions[0], asked.Decisions[1]; a.Verb != policy.Keep || a.GPUs != 6 || b.GPUs != 2 || b.Verb != policy.Start {
		t.Errorf("got %+v, want 6 kept and 2 started", asked.Decisions)
	}
}
