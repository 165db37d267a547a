package admission

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve/leases"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// gpus is a node of so many GPUs.
func gpus(n int) *policy.Snapshot {
	return &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: n}}}}}
}

// add adds a waiting job that runs for so many hours and has so many until its deadline; 0: it has none.
func add(s *policy.Snapshot, gpus int, left, deadline float64) *policy.Job {
	id := policy.JobID(len(s.Jobs) + 1)
	j := policy.Job{ID: id, User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(time.Duration(id-100) * time.Minute),
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus}}, PredictedLeft: policy.DurationFromSeconds(3600 * left)}
	if deadline > 0 {
		j.Deadline = now.Add(policy.DurationFromSeconds(3600 * deadline))
	}
	s.Jobs = append(s.Jobs, j)
	return &s.Jobs[id-1]
}

func run(j *policy.Job, ago time.Duration) {
	j.State, j.Start, j.FirstStart, j.On = policy.Running, now.Add(-ago), now.Add(-ago), policy.Alloc{{Node: "n1", Type: "g", Count: j.Ask.GPUs.Count}}
}

// planning is a stage that plans in leases of an hour, and puts the promised first.
type planning struct {
	before  Promises
	planner *Planner
	line    *Line
}

func (a *planning) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	a.planner = New(r, Settings{Lease: time.Hour, Rules: engine.Rules{MaxStops: -1}}, a.before)
	a.planner.Explain()
	a.line = a.planner.NewLine()
	a.line.AddPlanned()
	a.line.AddSpare(slices.DeleteFunc(slices.Clone(r.Entries), func(e *engine.Entry) bool { return !e.Deadline.IsZero() }))
	a.line.AddSpare(r.Entries)
	return a.line.Assign("others need it"), nil
}

func plan(t *testing.T, s *policy.Snapshot, before Promises) (*planning, *policy.Plan) {
	t.Helper()
	a := &planning{before: before}
	plan, err := engine.Pipeline{Predict: predict.Ladder{}, Allocate: a}.Decide(s)
	if err == nil {
		err = plan.Check(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, plan
}

// promised are the jobs that are promised their deadlines.
func (a *planning) promised() (ids []policy.JobID) {
	for _, j := range a.planner.Promised {
		ids = append(ids, j.ID)
	}
	slices.Sort(ids)
	return ids
}

// TestPromisesAreKept: what was promised goes before what arrived earlier and would find room without it, and is planned as before; the
// last to arrive loses its promise where devices are lost, and is told so; one that runs longer than was thought is planned for longer.
func TestPromisesAreKept(t *testing.T) {
	s := gpus(4)
	add(s, 4, 2, 4)
	add(s, 4, 1, 4)
	first, _ := plan(t, s, Promises{})
	if got := first.promised(); !slices.Equal(got, []policy.JobID{1, 2}) {
		t.Fatalf("promised %v", got)
	}
	add(s, 4, 2, 4).Arrive = now.Add(-200 * time.Hour)
	s.Now = now.Add(30 * time.Minute)
	second, p := plan(t, s, first.planner.Promises())
	if got := second.promised(); !slices.Equal(got, []policy.JobID{1, 2}) || !strings.Contains(p.Decisions[2].Why, "cannot be met beside those that were promised before it; on 4 GPUs it could be done by 2026-03-01 1") {
		t.Errorf("promised %v; job 3: %s", got, p.Decisions[2].Why)
	}
	s.Jobs[0].Ask.GPUs.Count, s.Jobs[1].Ask.GPUs.Count, s.Nodes[0].GPUs[0].SickCount = 2, 2, 2
	third, p := plan(t, s, second.planner.Promises())
	if got := third.promised(); !slices.Equal(got, []policy.JobID{1, 2}) {
		t.Errorf("promised %v on two GPUs, which are enough for three hours: %s", got, p.Decisions[1].Why)
	}
	s.Jobs[0].PredictedLeft = 3 * time.Hour
	fourth, p := plan(t, s, third.planner.Promises())
	if got := fourth.promised(); !slices.Equal(got, []policy.JobID{2}) || !strings.Contains(p.Decisions[0].Why, "was promised and cannot be kept any more") {
		t.Errorf("promised %v; job 1: %s", got, p.Decisions[0].Why)
	}
}

// TestBestEffortFillsGaps: an hour before a plan begins a job that may be stopped gets its GPUs, one that may not only if it
// has ended by then, and one of which that is not known does not.
func TestBestEffortFillsGaps(t *testing.T) {
	for _, c := range []struct {
		left  float64
		fixed string
		may   bool
	}{{9, "", true}, {.9, "owner", true}, {1.1, "owner", false}, {0, "owner", false}} {
		s := gpus(4)
		add(s, 4, 1, 2)
		other := add(s, 1, c.left, 0)
		other.UnstoppableReason = c.fixed
		a, p := plan(t, s, Promises{})
		if gap := a.planner.Promised[0].Spans[0].From; gap != 1 {
			t.Fatalf("planned from %d", gap)
		}
		if got := p.Decisions[1].Verb == policy.Start; got != c.may {
			t.Errorf("%+v: may have them %v", c, got)
		}
	}
}

// TestRunningJobs: what a running job holds that may not be stopped is there from its end on; one that was promised its deadline and may not be stopped yet goes on,
// and its plan with it.
func TestRunningJobs(t *testing.T) {
	s := gpus(4)
	run(add(s, 2, 1.5, 0), time.Hour)
	s.Jobs[0].UnstoppableReason = "owner"
	add(s, 4, 1, 3.5)
	add(s, 4, 1, 2.5)
	a, _ := plan(t, s, Promises{})
	if got := a.promised(); !slices.Equal(got, []policy.JobID{2}) || a.planner.Promised[0].Spans[0] != (leases.Span{From: 2, To: 4}) {
		t.Errorf("promised %v", got)
	}
	s = gpus(4)
	run(add(s, 4, 2, 2.5), time.Minute)
	add(s, 4, 1, 1)
	a, _ = plan(t, s, Promises{Lease: now.UnixNano() / int64(time.Hour), Length: 3600, Jobs: []Promise{{Job: 1, Devices: 4, From: []int{0}, To: []int{3}}}})
	if got := a.promised(); !slices.Equal(got, []policy.JobID{1}) || a.planner.Promises().Jobs[0].From[0] != 0 {
		t.Errorf("promised %v, remembered %+v", got, a.planner.Promises())
	}
}

// TestOtherLeases: plans in leases of another length are made anew, and garbled ones are told.
func TestOtherLeases(t *testing.T) {
	s := gpus(4)
	add(s, 4, 1, 2)
	a, _ := plan(t, s, Promises{Length: 60, Jobs: []Promise{{Job: 1, Devices: 4, From: []int{77}, To: []int{99}}}})
	if a.planner.Promised[0].Spans[0].From != 1 || !a.planner.IsNew {
		t.Errorf("planned %v", a.planner.Promised[0].Spans)
	}
	for _, garbled := range []Promises{
		{Jobs: []Promise{{Job: 1, Devices: 1, From: []int{1}}}}, {Jobs: []Promise{{Job: 1, Devices: 0}}}, {Jobs: []Promise{{Job: 2, Devices: 1}, {Job: 1, Devices: 1}}},
		{Jobs: []Promise{{Job: 1, Devices: 1, From: []int{2}, To: []int{2}}}}, {Jobs: []Promise{{Job: 1, Devices: 1, From: []int{0, 1}, To: []int{2, 3}}}},
	} {
		if garbled.Validate() == nil {
			t.Errorf("%+v passes", garbled)
		}
	}
}
