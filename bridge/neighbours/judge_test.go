package neighbours_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/neighbours"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

var now = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// seen are looks at a job beside its neighbour, one a minute, of which each is changed.
func seen(other int64, n int, change func(i int, l *bridge.NeighbourLook)) bridge.JobUse {
	var looks []bridge.NeighbourLook
	for i := range n {
		l := bridge.NeighbourLook{At: now.Add(time.Duration(i-n) * time.Minute), Neighbours: []int64{other}}
		change(i, &l)
		looks = append(looks, l)
	}
	return bridge.JobUse{Shared: looks}
}

func reports(speeds ...float64) bridge.JobUse {
	return seen(2, len(speeds), func(i int, l *bridge.NeighbourLook) {
		if speeds[i] > 0 {
			l.Speed, l.SpeedAt = &policy.SpeedPoint{Type: "a100", Devices: 1, BatchSize: 64, StepsPerSecond: speeds[i]}, l.At
		}
	})
}

func computes(shares ...float64) bridge.JobUse {
	return seen(2, len(shares), func(i int, l *bridge.NeighbourLook) {
		if shares[i] >= 0 {
			l.Busy = policy.KnownValue(shares[i])
		}
	})
}

func fills(shares ...float64) bridge.JobUse {
	return seen(2, len(shares), func(i int, l *bridge.NeighbourLook) { l.MemShare = policy.KnownValue(shares[i]) })
}

// pair is a snapshot of two jobs on a GPU, of which 1 came first.
func pair(change func(first, second *policy.Job)) *policy.Snapshot {
	s := &policy.Snapshot{Now: now}
	for id := policy.JobID(1); id <= 2; id++ {
		s.Jobs = append(s.Jobs, policy.Job{ID: id, State: policy.Running, Start: now.Add(time.Duration(id-9) * time.Hour), Shareable: true, Sharing: &policy.Sharing{},
			On: policy.Alloc{{Node: "n1", Type: "a100", Count: 1, Devices: policy.NewDeviceSet(0)}}})
	}
	if change != nil {
		change(&s.Jobs[0], &s.Jobs[1])
	}
	return s
}

func ran(count int, speed float64) []bridge.SeenSpeed {
	return []bridge.SeenSpeed{{SpeedPoint: policy.SpeedPoint{Type: "a100", Devices: 1, BatchSize: 64, StepsPerSecond: speed}, Count: count}}
}

// TestHarm: a job is hurt that keeps less than the least share in every look that counts; what is not known hurts nobody.
func TestHarm(t *testing.T) {
	own := bridge.SpeedHistory{Own: ran(1, 10)}
	wasBusy := func(share float64, source string) func(a, b *policy.Job) {
		return func(a, _ *policy.Job) {
			a.Sharing.Utilisation, a.Sharing.Source = policy.KnownValue(share), source
		}
	}
	for name, c := range map[string]struct {
		use   bridge.JobUse
		known bridge.SpeedHistory
		jobs  func(a, b *policy.Job)
		says  string // "": nothing is found
	}{
		"slower in two reports":          {use: reports(0, 0, 0, 5, 4), known: own, says: "at most 5 steps a second, 50% of the 10"},
		"one report":                     {use: reports(0, 0, 0, 5, 0), known: own},
		"one of them is fast":            {use: reports(0, 0, 0, 5, 7, 5), known: own},
		"while the neighbour begins":     {use: reports(0, 5, 4), known: own},
		"hardly slower":                  {use: reports(0, 0, 0, 8, 8), known: own},
		"never seen alone":               {use: reports(0, 0, 0, 5, 4)},
		"its class was":                  {use: reports(0, 0, 0, 5, 4), known: bridge.SpeedHistory{Class: ran(3, 10)}, says: "50%"},
		"one of its class was":           {use: reports(0, 0, 0, 5, 4), known: bridge.SpeedHistory{Class: ran(2, 10)}},
		"with another batch":             {use: reports(0, 0, 0, 5, 4), known: bridge.SpeedHistory{Own: []bridge.SeenSpeed{{SpeedPoint: policy.SpeedPoint{Type: "a100", Devices: 1, BatchSize: 32, StepsPerSecond: 10}}}}},
		"computes less":                  {use: computes(0, 0, 0, 0, 0, 0, .3, .2, .3), jobs: wasBusy(.8, "measured"), says: "at most 30% of the time, 80% alone"},
		"computes less, only just":       {use: computes(.3, .3, .3, .3, .3, .3), jobs: wasBusy(.8, "measured")},
		"one look is not known":          {use: computes(0, 0, 0, 0, 0, 0, .3, -1, .3), jobs: wasBusy(.8, "measured")},
		"what its class computes":        {use: computes(0, 0, 0, 0, 0, 0, .3, .2, .3), jobs: wasBusy(.8, "class")},
		"hardly computed":                {use: computes(0, 0, 0, 0, 0, 0, .01, .01, .01), jobs: wasBusy(.05, "measured")},
		"memory at its limit":            {use: fills(.5, .98, .99, .97), says: "97% full"},
		"memory was":                     {use: fills(.99, .99, .5, .99)},
		"opportunistic beside others":    {use: reports(0, 0, 0, 5, 4), known: own, jobs: func(a, _ *policy.Job) { a.Sharing.IsOpportunistic = true }},
		"memory of an opportunistic one": {use: fills(.99, .99, .99), jobs: func(a, _ *policy.Job) { a.Sharing.IsOpportunistic = true }, says: "99%"},
		"both are opportunistic": {use: reports(0, 0, 0, 5, 4), known: own, says: "50%", jobs: func(a, b *policy.Job) {
			a.Sharing.IsOpportunistic, b.Sharing.IsOpportunistic = true, true
		}},
		"its neighbour is not known here": {use: seen(9, 3, func(_ int, l *bridge.NeighbourLook) { l.MemShare = policy.KnownValue(1) })},
	} {
		t.Run(name, func(t *testing.T) {
			f := &bridge.Facts{UseByJob: map[int64]bridge.JobUse{1: c.use}, Past: &bridge.Past{SpeedsOf: func(*policy.Job) bridge.SpeedHistory { return c.known }}}
			got := neighbours.Judge(pair(c.jobs), f, .6)
			if (len(got) > 0) != (c.says != "") || len(got) > 0 && !strings.Contains(got[0].Why, c.says) {
				t.Errorf("%+v, want %q", got, c.says)
			}
			if got := neighbours.Judge(pair(c.jobs), f, 0); len(got) > 0 {
				t.Errorf("switched off: %+v", got)
			}
		})
	}
}

// TestWhoLeaves: first who runs on what others leave, else who came last, of those that may be stopped; the one with
// the most right to stay never does.
func TestWhoLeaves(t *testing.T) {
	kept := func(j *policy.Job) { j.UnstoppableReason = "its owner did not opt in" }
	for name, c := range map[string]struct {
		jobs         func(a, b *policy.Job)
		leaves, for2 int64
	}{
		"the last that came":             {nil, 2, 1},
		"the opportunistic one":          {func(a, _ *policy.Job) { a.Sharing.IsOpportunistic = true }, 1, 2},
		"the only one that may is first": {func(_, b *policy.Job) { kept(b) }, 0, 0},
		"the opportunistic one may not":  {func(a, _ *policy.Job) { a.Sharing.IsOpportunistic = true; kept(a) }, 0, 0},
		"none may":                       {func(a, b *policy.Job) { kept(a); kept(b) }, 0, 0},
		"the hurt one itself came last":  {func(a, b *policy.Job) { a.Start, b.Start = b.Start, a.Start }, 1, 2},
	} {
		f := &bridge.Facts{UseByJob: map[int64]bridge.JobUse{1: fills(1, 1, 1)}}
		got := neighbours.Judge(pair(c.jobs), f, .6)
		if len(got) != 1 || got[0].Leaves != c.leaves || got[0].For != c.for2 || (got[0].KeptReason == "") != (c.leaves != 0) || !cmp.Equal(got[0].Jobs, []int64{1, 2}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	both := &bridge.Facts{UseByJob: map[int64]bridge.JobUse{1: fills(1, 1, 1), 2: seen(1, 3, func(_ int, l *bridge.NeighbourLook) { l.MemShare = policy.KnownValue(1) })}}
	if got := neighbours.Judge(pair(nil), both, .6); len(got) != 1 {
		t.Errorf("two find the same: %+v", got)
	}
}

// TestApply: who leaves is stopped for the other, both are told, and a decision that is no longer to keep stands.
func TestApply(t *testing.T) {
	plan := func(verbs ...policy.Verb) *policy.Plan {
		p := &policy.Plan{}
		for i, v := range verbs {
			p.Decisions = append(p.Decisions, policy.Decision{Job: policy.JobID(i + 1), Verb: v, GPUs: 1, On: policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}})
		}
		return p
	}
	leaves := []bridge.Separation{{Jobs: []int64{1, 2}, Leaves: 2, For: 1, Why: "slow"}}
	before := plan(policy.Keep, policy.Keep)
	got := neighbours.Apply(before, leaves)
	if d := got.Decisions[1]; d.Verb != policy.Stop || d.StoppedFor != 1 || d.On != nil || d.GPUs != 0 || !strings.Contains(d.Why, "slow") {
		t.Errorf("%+v", d)
	}
	if d := got.Decisions[0]; d.Verb != policy.Keep || !strings.Contains(d.Why, "a neighbour is to leave") {
		t.Errorf("%+v", d)
	}
	if diff := cmp.Diff(plan(policy.Keep, policy.Keep), before); diff != "" {
		t.Errorf("the plan was changed: %s", diff)
	}
	if d := neighbours.Apply(plan(policy.Keep, policy.Stop), leaves).Decisions[1]; d.StoppedFor != 0 {
		t.Errorf("stopped already: %+v", d)
	}
	none := []bridge.Separation{{Jobs: []int64{1, 2, 7}, Why: "slow", KeptReason: "nobody opted in"}}
	if d := neighbours.Apply(before, none).Decisions[1]; d.Verb != policy.Keep || !strings.Contains(d.Why, "none of them is stopped: nobody opted in") {
		t.Errorf("%+v", d)
	}
	if neighbours.Apply(nil, leaves) != nil || neighbours.Apply(before, nil) != before {
		t.Error("nothing to do")
	}
}

// TestApart: who was separated is kept apart until the span is over; what was not sent separates nobody.
func TestApart(t *testing.T) {
	stop := func(job, other int64, ago time.Duration, state bridge.IntentState, apart bool) bridge.Intent {
		in := bridge.Intent{Edit: slurm.Edit{Run: slurm.Run{Job: job}}, State: state, Made: now.Add(-ago), Sent: now.Add(-ago)}
		in.Before.Stop = &bridge.StopCost{Beneficiary: other, Apart: apart}
		if state == bridge.IntentVoid {
			in.Sent = time.Time{}
		}
		return in
	}
	intents := []bridge.Intent{
		stop(2, 1, time.Hour, bridge.IntentObserved, true), stop(2, 1, 2*time.Hour, bridge.IntentObserved, true), stop(2, 7, time.Hour, bridge.IntentAcked, true),
		stop(3, 1, time.Hour, bridge.IntentObserved, false), stop(4, 1, 6*time.Hour, bridge.IntentObserved, true),
		stop(5, 1, time.Hour, bridge.IntentVoid, true), stop(6, 1, time.Hour, bridge.IntentFailed, true), {},
	}
	if diff := cmp.Diff(map[int64][]policy.JobID{2: {1, 7}}, neighbours.ApartByJob(intents, now, 6*time.Hour)); diff != "" {
		t.Error(diff)
	}
}
