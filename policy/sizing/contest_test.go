package sizing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
)

// asAllocator lets a test set sizes in the middle of a round.
type asAllocator func(*engine.Round, []*sizing.Contest)

// Allocate implements engine.Allocator.
func (f asAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	contests := sizing.ListContests(r)
	f(r, contests)
	return sizing.AssignContests(r, contests), nil
}

// oneHour predicts an hour for every job.
type oneHour struct{}

// Predict implements engine.Predictor.
func (oneHour) Predict(*engine.Round, *engine.Entry) engine.TimeLeftEstimate {
	return engine.TimeLeftEstimate{TimeLeft: time.Hour}
}

// decideContest lets a test look at the contests of jobs on two nodes of four a100 and one of two v100,
// and returns what each job then runs on.
func decideContest(t *testing.T, jobs []policy.Job, look asAllocator) string {
	t.Helper()
	s := &policy.Snapshot{Now: policytest.SnapshotTime}
	for name, d := range map[string]policy.NodeDevices{"n1": {Type: "a100", Count: 4}, "n2": {Type: "a100", Count: 4}, "n3": {Type: "v100", Count: 2}} {
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{d}})
	}
	slices.SortFunc(s.Nodes, func(a, b policy.Node) int { return strings.Compare(a.Name, b.Name) })
	for i := range jobs {
		j := &jobs[i]
		j.ID, j.Partition, j.State, j.Arrive = policy.JobID(i+1), "p", policy.Pending, policytest.SnapshotTime.Add(time.Duration(i)*time.Second-24*time.Hour)
		if len(j.On) > 0 {
			j.State, j.Start = policy.Running, policytest.SnapshotTime.Add(-2*time.Hour)
		}
	}
	s.Jobs = jobs
	plan, err := engine.Pipeline{Predict: oneHour{}, Allocate: look}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range plan.Decisions {
		out = append(out, fmt.Sprintf("%s %d", d.Verb, d.On.Count()))
	}
	return strings.Join(out, ", ")
}

// contender asks for GPUs of a type; with low, it can run on low to high of them.
func contender(typ string, asks, low, high, holds int) policy.Job {
	j := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: typ, Count: asks}}, MinGPUs: low, MaxGPUs: high}
	if holds > 0 {
		j.On = policy.Alloc{{Node: map[string]string{"a100": "n1", "v100": "n3"}[typ], Type: typ, Count: holds}}
	}
	return j
}

// TestSizes: any number on a node, whole nodes beyond, and what the owner named; a job without
// a range is all or nothing; and one of any type goes where there is room.
func TestSizes(t *testing.T) {
	fixed := contender("a100", 2, 1, 8, 0)
	fixed.UnplaceableReason = "its owner chose nodes"
	jobs := []policy.Job{contender("a100", 6, 2, 99, 0), contender("v100", 2, 0, 0, 0), fixed, contender("", 1, 0, 0, 0), contender("h100", 1, 0, 0, 0)}
	decideContest(t, jobs, func(_ *engine.Round, contests []*sizing.Contest) {
		var got []string
		for _, p := range contests {
			for _, j := range p.Jobs {
				var sizes []int
				for n := j.Next(0); n > 0; n = j.Next(n) {
					sizes = append(sizes, n)
				}
				got = append(got, fmt.Sprint(p.GPUType, p.Count, j.ID, sizes, j.Least(), j.Most()))
			}
		}
		want := []string{"a1008 1 [2 3 4 6 8] 2 8", "a1008 3 [2] 2 2", "a1008 4 [1] 1 1", "v1002 2 [2] 2 2"}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestKeepSizes sets sizes, and wants those that are worth their restarts.
func TestKeepSizes(t *testing.T) {
	for name, c := range map[string]struct {
		jobs  []policy.Job
		sizes []int
		cost  time.Duration
		want  string
	}{
		"grows":                        {[]policy.Job{contender("a100", 2, 1, 4, 2)}, []int{4}, time.Minute, "resize 4"},
		"not for so dear a restart":    {[]policy.Job{contender("a100", 2, 1, 4, 2)}, []int{4}, 20 * time.Minute, "keep 2"},
		"shrinks for one that waits":   {[]policy.Job{contender("a100", 4, 1, 4, 4), contender("a100", 4, 0, 0, 0), contender("a100", 2, 0, 0, 0)}, []int{2, 4, 2}, time.Hour, "resize 2, start 4, start 2"},
		"does not where enough idles":  {[]policy.Job{contender("a100", 4, 1, 4, 4), contender("a100", 4, 0, 0, 0)}, []int{2, 4}, time.Minute, "keep 4, start 4"},
		"not for one that gains less":  {[]policy.Job{contender("v100", 1, 1, 2, 1), contender("v100", 1, 1, 2, 1)}, []int{1, 1}, time.Minute, "keep 1, keep 1"},
		"nothing for it, it gives way": {[]policy.Job{contender("v100", 2, 1, 2, 2), contender("v100", 2, 0, 0, 0)}, []int{0, 2}, time.Minute, "stop 0, start 2"},
	} {
		got := decideContest(t, c.jobs, func(_ *engine.Round, contests []*sizing.Contest) {
			for _, p := range contests {
				for _, j := range p.Jobs {
					j.Size = c.sizes[j.Index]
				}
				sizing.RestartRule{MinGain: 3, Cost: c.cost}.KeepSizes(p)
			}
		})
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestNoShrinkForLittle: a job that would grow by what another gives up does not, where that
// gains less than both restarts cost.
func TestNoShrinkForLittle(t *testing.T) {
	jobs := []policy.Job{contender("a100", 1, 1, 4, 3), contender("a100", 4, 1, 4, 1)}
	jobs = append(jobs, contender("a100", 4, 0, 0, 4))
	jobs[2].On[0].Node = "n2"
	got := decideContest(t, jobs, func(_ *engine.Round, contests []*sizing.Contest) {
		for _, p := range contests {
			for i, j := range p.Jobs {
				j.Size = []int{2, 2, 4}[i]
			}
			sizing.RestartRule{MinGain: 3, Cost: 25 * time.Minute}.KeepSizes(p)
		}
	})
	if got != "keep 3, keep 1, keep 4" {
		t.Error(got)
	}
}
