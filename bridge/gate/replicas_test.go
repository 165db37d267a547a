package gate_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// makeReplicas makes jobs replicas of one service of so many at least.
func makeReplicas(s *gate.CommonInput, least int, rates []float64, jobs ...int64) {
	s.Snapshot.InferenceServices = []policy.InferenceService{{Name: "chat", Partition: "gpu", Scaling: &policy.ReplicaScaling{Least: least, Rates: rates}}}
	for _, id := range jobs {
		planJob(s, id).ReplicaOf = "chat"
	}
}

// TestHoldsLeaveTheLeast: of replicas that the plan holds the first ones wait unheld, until as many as the least run or can
// start; others are held, and of an array that can start all tasks count.
func TestHoldsLeaveTheLeast(t *testing.T) {
	for name, c := range map[string]struct {
		least  int
		change func(*gate.PlanInput)
		held   []int64
	}{
		"enough run":             {2, func(*gate.PlanInput) {}, []int64{1, 2, 3}},
		"one more is needed":     {3, func(*gate.PlanInput) {}, []int64{2, 3}},
		"all are needed":         {5, func(*gate.PlanInput) {}, nil},
		"one that runs is to go": {2, func(in *gate.PlanInput) { swap(in, 11, 4) }, []int64{1, 2, 3}}, // it may not: only one would run
		"one is suspended":       {2, func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).State = policy.Suspended }, []int64{2, 3}},
		"one waits by itself":    {3, func(in *gate.PlanInput) { decision(in.Plan, 1).Verb = policy.Wait }, []int64{2, 3}},
		"it cannot start": {3, func(in *gate.PlanInput) {
			decision(in.Plan, 1).Verb, planJob(&in.CommonInput, 1).HeldReason = policy.Wait, "its owner holds it"
		}, []int64{3}},
		"it is an array": {4, func(in *gate.PlanInput) {
			decision(in.Plan, 1).Verb, planJob(&in.CommonInput, 1).Tasks = policy.Wait, 2
		}, []int64{2, 3}},
	} {
		in := planInput()
		makeReplicas(&in.CommonInput, c.least, nil, 1, 2, 3, 11, 12)
		for id := int64(1); id <= 3; id++ {
			decision(in.Plan, id).Verb = policy.Hold
		}
		c.change(&in)
		out := gate.FilterPlan(in)
		var held []int64
		for _, d := range out.Plan.Decisions {
			if d.Verb == policy.Hold {
				held = append(held, int64(d.Job))
			}
		}
		if !slices.Equal(held, c.held) {
			t.Errorf("%s: %v are held, want %v: %+v", name, held, c.held, out.Refusals)
		}
	}
}

// TestStopsLeaveTheLeast: a replica is stopped only while as many others run; what waits does not count.
func TestStopsLeaveTheLeast(t *testing.T) {
	for name, c := range map[string]struct {
		least int
		jobs  []int64
		want  string
	}{"enough run": {1, []int64{11, 12}, ""}, "the last one": {1, []int64{11, 1, 2, 3}, "I25"}, "too few": {2, []int64{11, 12}, "I25"}} {
		in := planInput()
		makeReplicas(&in.CommonInput, c.least, nil, c.jobs...)
		swap(&in, 11, 4)
		if out := gate.FilterPlan(in); refusals(out.Refusals, 11) != c.want || (c.want == "") != (len(out.Stops) == 1) {
			t.Errorf("%s: %+v, %+v", name, out.Stops, out.Refusals)
		}
	}
}

// TestLeasesOfReplicas: each lease leaves the least, whatever the plan said; what is leased already or may be does not count.
// One of a service whose requests are known may last longer than others' may.
func TestLeasesOfReplicas(t *testing.T) {
	for name, c := range map[string]struct {
		least  int
		rates  []float64
		change func(*gate.EditInput)
		edits  []int64
		want   int // leases that pass
	}{
		"enough run":       {2, nil, func(*gate.EditInput) {}, []int64{1, 2, 3}, 3},
		"one of two":       {3, nil, func(*gate.EditInput) {}, []int64{2, 3}, 2},
		"one has to stay":  {3, nil, func(*gate.EditInput) {}, []int64{1, 2, 3}, 2},
		"one stands":       {3, nil, func(in *gate.EditInput) { stands(in, lease1(in), bridge.JobBefore{}, bridge.IntentObserved) }, []int64{2, 3}, 1},
		"one may stand":    {3, nil, func(in *gate.EditInput) { stands(in, lease1(in), bridge.JobBefore{}, bridge.IntentUnknown) }, []int64{2, 3}, 1},
		"long, unknown":    {1, nil, func(in *gate.EditInput) { in.LeasedTimeByJob[1] = 24 * time.Hour }, []int64{1}, 0},
		"long, known":      {1, []float64{1}, func(in *gate.EditInput) { in.LeasedTimeByJob[1] = 24 * time.Hour }, []int64{1}, 1},
		"waited, unknown":  {1, nil, func(in *gate.EditInput) { planJob(&in.CommonInput, 1).Arrive = noon.Add(-100 * time.Hour) }, []int64{1}, 0},
		"waited, known":    {1, []float64{1}, func(in *gate.EditInput) { planJob(&in.CommonInput, 1).Arrive = noon.Add(-100 * time.Hour) }, []int64{1}, 1},
		"known, but least": {5, []float64{1}, func(*gate.EditInput) {}, []int64{1}, 0},
	} {
		in := editInput()
		makeReplicas(&in.CommonInput, c.least, c.rates, 1, 2, 3, 11, 12)
		in.IntentBook = ledger.NewIntentBook(nil)
		c.change(&in)
		for _, id := range c.edits {
			in.Edits = append(in.Edits, leaseOf(&in, id))
		}
		if ok, no := gate.FilterEdits(in); len(ok) != c.want {
			t.Errorf("%s: %d leases pass, want %d: %+v", name, len(ok), c.want, no)
		}
	}
}

func leaseOf(in *gate.EditInput, id int64) slurm.Edit {
	e := edit(&in.CommonInput, id, slurm.EditLease)
	e.Until = noon.Add(10 * time.Minute)
	return e
}

func lease1(in *gate.EditInput) slurm.Edit {
	viewJob(&in.CommonInput, 1).EligibleTime = noon.Add(10 * time.Minute)
	return leaseOf(in, 1)
}
