package lucid_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/interference"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/lucid"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// job is a job as the cases write it: of so many GPUs, with so much GPU time left in seconds for each, of which the
// GPU computes a share of the time and which uses so many gigabytes there.
type job struct {
	gpus, left int
	busy       float64
	memGB      int64
}

// snapshot has a node of 24 GB GPUs for each running job, all of them given out.
func snapshot(running, waiting []job) *policy.Snapshot {
	s := &policy.Snapshot{Now: now}
	for i, j := range append(append([]job{}, running...), waiting...) {
		p := policy.Job{ID: policy.JobID(i + 1), User: fmt.Sprint("u", i), Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(-10 * time.Minute),
			PredictedLeft: time.Duration(j.left) * time.Second, Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: j.gpus}}, Shareable: true,
			Sharing: &policy.Sharing{AcceptsOtherUsers: true, MemMB: j.memGB << 10, Utilisation: policy.KnownValue(j.busy)}}
		if i < len(running) {
			n := fmt.Sprint("n", i)
			s.Nodes = append(s.Nodes, policy.Node{Name: n, Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: j.gpus, MemMB: 24 << 10}}})
			p.State, p.Start, p.On = policy.Running, now.Add(-5*time.Minute), policy.Alloc{{Node: n, Type: "v100", Count: j.gpus, Devices: 1<<j.gpus - 1}}
		}
		s.Jobs = append(s.Jobs, p)
	}
	return s
}

// decide returns which of the jobs joins which, as "3>1".
func decide(t testing.TB, s *policy.Snapshot, params paper.Params) string {
	t.Helper()
	plan, err := policytest.NewPolicy(t, lucid.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range plan.Decisions {
		if d.Verb == policy.Start {
			out = append(out, fmt.Sprintf("%d>%d", d.Job, d.Beside))
		}
	}
	return strings.Join(out, " ")
}

// TestPairs: who joins whom, as in the micro cases of the policy reference.
func TestPairs(t *testing.T) {
	r1, r2 := job{1, 5000, .9, 10}, job{1, 9000, .4, 6}
	q1, q2, q3 := job{1, 600, .2, 4}, job{1, 1000, .4, 8}, job{1, 2000, .8, 8}
	both, three := []job{r1, r2}, []job{q1, q2, q3}
	first := paper.Params{"partner": "first"}
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		params   paper.Params
		want     string
	}{
		"matched":                     {snapshot(both, three), nil, "3>1 4>2"},
		"the first that suits":        {snapshot(both, three), first, "3>1 4>2"},
		"the first, the other way":    {snapshot([]job{r2, r1}, three), first, "3>1"},
		"matched, the other way":      {snapshot([]job{r2, r1}, three), nil, "3>2 4>1"},
		"too much memory":             {snapshot([]job{r1}, []job{{1, 600, .2, 16}}), nil, ""},
		"no margin":                   {snapshot([]job{r1}, []job{{1, 600, .2, 14}}), nil, ""},
		"just enough":                 {snapshot([]job{r1}, []job{{1, 600, .2, 13}}), nil, "2>1"},
		"longer than twice its host":  {snapshot([]job{r1}, []job{{1, 12000, .2, 4}}), nil, ""},
		"as long as that":             {snapshot([]job{r1}, []job{{1, 10000, .2, 4}}), nil, "2>1"},
		"of another size":             {snapshot([]job{{2, 5000, .2, 4}}, []job{{1, 600, .2, 4}}), nil, ""},
		"of eight GPUs":               {snapshot([]job{{8, 5000, .2, 4}}, []job{{8, 600, .2, 4}}), nil, "2>1"},
		"of too many":                 {snapshot([]job{{16, 5000, .2, 4}}, []job{{16, 600, .2, 4}}), nil, ""},
		"of as many as are allowed":   {snapshot([]job{{16, 5000, .2, 4}}, []job{{16, 600, .2, 4}}), paper.Params{"max_gpus": 16}, "2>1"},
		"score 3 is too much":         {snapshot([]job{r1}, []job{{1, 600, .3, 4}}), nil, ""},
		"unless it is not":            {snapshot([]job{r1}, []job{{1, 600, .3, 4}}), paper.Params{"score": 3}, "2>1"},
		"two at most":                 {snapshot([]job{{1, 5000, .1, 1}}, []job{{1, 60, .1, 1}, {1, 70, .1, 1}}), nil, "2>1"},
		"none shares in quiet hours":  {snapshot([]job{r1}, []job{q1}), paper.Params{"busy": 2}, ""},
		"nor where memory is unknown": {snapshot([]job{r1}, []job{{1, 600, .2, 0}}), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			params := paper.Params{"busy": 0}
			for k, v := range c.params {
				params[k] = v
			}
			if got := decide(t, c.snapshot, params); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestProfiles: a job is profiled by what was measured of it on its GPUs, once it ran for long enough.
func TestProfiles(t *testing.T) {
	for ran, want := range map[time.Duration]string{199 * time.Second: "", 200 * time.Second: "2>1"} {
		s := snapshot([]job{{1, 5000, 0, 4}}, []job{{1, 600, .2, 4}})
		s.Jobs[0].Sharing.Utilisation, s.Jobs[0].Utilisation = policy.OptionalValue{}, policy.KnownValue(.3)
		s.Jobs[0].Start = now.Add(-ran)
		kept := snapshot([]job{{1, 5000, .3, 4}}, []job{{1, 600, .2, 4}})
		kept.Jobs[0].Sharing.Source, kept.Jobs[0].Start = "measured", now.Add(-ran)
		requeued := snapshot([]job{{1, 5000, .3, 4}}, []job{{1, 600, .2, 4}})
		requeued.Jobs[1].Sharing.Source, requeued.Jobs[1].Attained = "measured", policy.GPUSeconds(ran.Seconds())
		for _, s := range []*policy.Snapshot{s, kept, requeued} {
			if got := decide(t, s, paper.Params{"busy": 0}); got != want {
				t.Errorf("after %v: %q, want %q", ran, got, want)
			}
		}
	}
	s := snapshot([]job{{1, 5000, .2, 4}}, []job{{1, 600, .2, 4}})
	s.Nodes[0].GPUs[0].MemMB = 0
	if got := decide(t, s, paper.Params{"busy": 0}); got != "" {
		t.Errorf("on GPUs of unknown memory: %q", got)
	}
}

// TestOwners: neither joins where an owner accepts no neighbour, or none of other users.
func TestOwners(t *testing.T) {
	for i := range 2 {
		alone, own := snapshot([]job{{1, 5000, .2, 4}}, []job{{1, 600, .2, 4}}), snapshot([]job{{1, 5000, .2, 4}}, []job{{1, 600, .2, 4}})
		alone.Jobs[i].Shareable, own.Jobs[i].Sharing.AcceptsOtherUsers = false, false
		for _, s := range []*policy.Snapshot{alone, own} {
			if got := decide(t, s, paper.Params{"busy": 0}); got != "" {
				t.Errorf("owner of job %d: %q", i+1, got)
			}
		}
		if own.Jobs[1].User = own.Jobs[0].User; decide(t, own, paper.Params{"busy": 0}) != "2>1" {
			t.Error("of one user they do not join")
		}
	}
}

// TestPairLaws: no pair scores more than allowed or exceeds memory, no GPU has three jobs, and no job without
// a profile is packed.
func TestPairLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string) job {
			return job{1 << rapid.IntRange(0, 3).Draw(t, what), rapid.IntRange(1, 9999).Draw(t, what), rapid.Float64Range(0, 1).Draw(t, what), int64(rapid.IntRange(0, 23).Draw(t, what))}
		}
		running, waiting := make([]job, rapid.IntRange(1, 20).Draw(t, "running")), make([]job, rapid.IntRange(1, 90).Draw(t, "waiting"))
		for i := range running {
			running[i] = draw("host")
		}
		for i := range waiting {
			waiting[i] = draw("guest")
		}
		s, score := snapshot(running, waiting), rapid.IntRange(0, 4).Draw(t, "score")
		p, err := lucid.System().New(paper.Params{"busy": 0, "score": score})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Decide(s)
		if err == nil {
			err = plan.Check(s)
		}
		if err != nil {
			t.Fatal(err)
		}
		hosts := map[policy.JobID]bool{}
		for _, d := range plan.Decisions {
			if d.Verb != policy.Start {
				continue
			}
			h, e := s.Job(d.Beside), s.Job(d.Job)
			if h == nil || hosts[h.ID] || h.On.Count() != e.Ask.GPUs.Count {
				t.Fatalf("%+v", d)
			}
			hosts[h.ID] = true
			x, _ := interference.ClassOf(h)
			y, _ := interference.ClassOf(e)
			if int(x+y) > score || h.Sharing.MemMB == 0 || e.Sharing.MemMB == 0 || h.Sharing.MemMB+e.Sharing.MemMB+1024 > 24<<10 {
				t.Fatalf("%v and %v, score %d", h.Sharing, e.Sharing, score)
			}
		}
	})
}
