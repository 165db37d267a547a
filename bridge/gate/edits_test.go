package gate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// stands puts a value of ours into a job: the intent that wrote it, observed.
func stands(in *gate.EditInput, e slurm.Edit, before bridge.JobBefore, state bridge.IntentState) {
	id := int64(1)
	i := bridge.Intent{ID: id, Edit: e, Before: before, State: state, NotAfter: e.Until}
	in.IntentBook = ledger.NewIntentBook([]bridge.Intent{i})
}

// leased gives job 2 a lease of ours; the owner's own begin was an hour ago.
func leased(in *gate.EditInput) {
	e := edit(&in.CommonInput, 2, slurm.EditLease)
	e.Until = noon.Add(3 * time.Minute)
	viewJob(&in.CommonInput, 2).EligibleTime = e.Until
	stands(in, e, bridge.JobBefore{Begin: noon.Add(-time.Hour)}, bridge.IntentObserved)
}

// pinned lets n1 stand in job 2's required nodes, where the owner had none.
func pinned(in *gate.EditInput) {
	e := edit(&in.CommonInput, 2, slurm.EditRequireNodes)
	e.Nodes = []string{"n1"}
	viewJob(&in.CommonInput, 2).RequiredNodes = slurm.ReadHosts("n1")
	stands(in, e, bridge.JobBefore{}, bridge.IntentObserved)
}

// numbered lets a value of ours stand in an order field of job 2.
func numbered(kind slurm.EditKind, v int64) func(*gate.EditInput) {
	return func(in *gate.EditInput) {
		e, j := edit(&in.CommonInput, 2, kind), viewJob(&in.CommonInput, 2)
		e.Value = v
		switch kind {
		case slurm.EditNice:
			j.Nice = v
		case slurm.EditPriority:
			j.Priority = v
		}
		stands(in, e, bridge.JobBefore{Nice: 7}, bridge.IntentObserved)
	}
}

// unanswered is a site factor of ours that had no answer, over another.
func unanswered(was, v int64) func(*gate.EditInput) {
	return func(in *gate.EditInput) {
		e := edit(&in.CommonInput, 2, slurm.EditSiteFactor)
		e.Value = v
		in.IntentBook = ledger.NewIntentBook([]bridge.Intent{{ID: 1, Edit: e, Before: bridge.JobBefore{OurValue: was}, State: bridge.IntentObserved, Error: "no answer"}})
	}
}

func opened(kind slurm.EditKind, job int64, state bridge.IntentState) func(*gate.EditInput) {
	return func(in *gate.EditInput) { stands(in, edit(&in.CommonInput, job, kind), bridge.JobBefore{}, state) }
}

// as is an edit of job 2 with a value.
func as(kind slurm.EditKind, v int64) func(*gate.CommonInput) slurm.Edit {
	return func(s *gate.CommonInput) slurm.Edit {
		e := edit(s, 2, kind)
		e.Value = v
		return e
	}
}

func until(kind slurm.EditKind, d time.Duration) func(*gate.CommonInput) slurm.Edit {
	return func(s *gate.CommonInput) slurm.Edit {
		e := edit(s, 2, kind)
		e.Until = noon.Add(d)
		return e
	}
}

func nodes(kind slurm.EditKind, names ...string) func(*gate.CommonInput) slurm.Edit {
	return func(s *gate.CommonInput) slurm.Edit {
		e := edit(s, 2, kind)
		e.Nodes = names
		return e
	}
}

func requeue(s *gate.CommonInput) slurm.Edit { return edit(s, 11, slurm.EditRequeue) }

var (
	site   = as(slurm.EditSiteFactor, 1000)
	lease  = until(slurm.EditLease, 10*time.Minute)
	pin    = nodes(slurm.EditRequireNodes, "n2")
	unlock = until(slurm.EditUnlease, 0)
)

func nothing(*gate.EditInput) {}

func job2(f func(*slurm.Job)) func(*gate.EditInput) {
	return func(in *gate.EditInput) { f(viewJob(&in.CommonInput, 2)) }
}

func job11(f func(*slurm.Job)) func(*gate.EditInput) {
	return func(in *gate.EditInput) { f(viewJob(&in.CommonInput, 11)) }
}

func elastic(in *gate.EditInput) {
	planJob(&in.CommonInput, 2).MinGPUs, planJob(&in.CommonInput, 2).MaxGPUs = 2, 8
	viewJob(&in.CommonInput, 2).ProcessCount, viewJob(&in.CommonInput, 2).GresPerNode = 1, slurm.ReadGRESRequest("gres/gpu:8")
	in.Mode, in.ModeByPartition = bridge.ModeElastic, map[string]bridge.Mode{"gpu": bridge.ModeElastic}
}

// ownLater is a lease over the owner's own begin in two minutes.
func ownLater(in *gate.EditInput) {
	leased(in)
	i := *in.IntentBook.StandingIntent(viewJob(&in.CommonInput, 2).CurrentRun(), slurm.FieldBeginTime, noon)
	i.Before.Begin = noon.Add(2 * time.Minute)
	in.IntentBook = ledger.NewIntentBook([]bridge.Intent{i})
}

// running is a job that started under a value of ours.
func running(kind slurm.EditKind) func(*gate.EditInput) {
	return func(in *gate.EditInput) {
		numbered(kind, 9000)(in)
		viewJob(&in.CommonInput, 2).State = "RUNNING"
	}
}

// excluded lets n1 stand beside the owner's n2 in job 2's excluded nodes.
func excluded(in *gate.EditInput) {
	e := edit(&in.CommonInput, 2, slurm.EditExcludeNodes)
	e.Nodes = []string{"n1", "n2"}
	viewJob(&in.CommonInput, 2).ExcludedNodes = slurm.ReadHosts("n1,n2")
	stands(in, e, bridge.JobBefore{Excluded: slurm.ReadHosts("n2")}, bridge.IntentObserved)
}

func old(in *gate.EditInput) { planJob(&in.CommonInput, 2).Arrive = noon.Add(-73 * time.Hour) }

func touched(ago time.Duration) func(*gate.EditInput) {
	return func(in *gate.EditInput) {
		in.LastSentByField[slurm.JobField{Job: 2, Field: slurm.FieldSiteFactor}] = in.Now.Add(-ago)
	}
}

func TestEditInvariants(t *testing.T) {
	for _, c := range editCases {
		t.Run(c.name, func(t *testing.T) {
			in := editInput()
			in.AllowedStops = []bridge.Stop{{Job: 11, DecidedAt: noon, StopCost: bridge.StopCost{User: "u11", Account: "b", GPUs: 8, Beneficiary: 1}}}
			c.spoil(&in)
			e := c.edit(&in.CommonInput)
			in.Edits = []slurm.Edit{e}
			got, refused := gate.FilterEdits(in)
			if c.want == "" {
				e.Tasks = max(1, planTasks(&in, e.Run.Job))
				if diff := cmp.Diff([]slurm.Edit{e}, got); diff != "" || len(refused) > 0 {
					t.Errorf("want it through; refused %v\n%s", refused, diff)
				}
				return
			}
			if len(got) > 0 || refusals(refused, e.Run.Job) != c.want {
				t.Errorf("accepted %v, refused %v; want refused by %s", got, refused, c.want)
			}
		})
	}
}

// Of two requeues the first in the plan goes, and neither pays for the other.
func TestEditsStopInThePlansOrder(t *testing.T) {
	in := editInput()
	in.Edits = []slurm.Edit{edit(&in.CommonInput, 11, slurm.EditRequeue), edit(&in.CommonInput, 12, slurm.EditRequeue)}
	in.AllowedStops = []bridge.Stop{{Job: 12, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8, Beneficiary: 1}}, {Job: 11, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8, Beneficiary: 2}}}
	got, refused := gate.FilterEdits(in)
	if len(got) != 1 || got[0].Run.Job != 12 || refusals(refused, 11) != "I7" {
		t.Errorf("accepted %v, refused %v; want only job 12 stopped", got, refused)
	}
	in.Budgets.StopFloor, in.Budgets.StopFloor1h = 2, 2
	in.AllowedStops = []bridge.Stop{{Job: 12, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8, Beneficiary: 11}}, {Job: 11, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8, Beneficiary: 12}}}
	if got, refused = gate.FilterEdits(in); len(got) != 1 || refusals(refused, 11) != "I9" {
		t.Errorf("accepted %v, refused %v; want job 11 refused by I9", got, refused)
	}
}

// Of jobs to be stopped for one job all are, or none: it would not fit.
func TestEditsStopAllOrNone(t *testing.T) {
	for want, changed := range map[int]bool{2: false, 0: true} {
		in := editInput()
		in.Budgets.StopFloor, in.Budgets.StopFloor1h = 2, 2
		for _, id := range []int64{11, 12} {
			in.Edits = append(in.Edits, edit(&in.CommonInput, id, slurm.EditRequeue))
			stop := bridge.Stop{Job: id, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8, Beneficiary: 1}}
			in.AllowedStops = append(in.AllowedStops, stop)
		}
		if changed {
			in.RequeuedRuns = append(in.RequeuedRuns, in.Edits[1].Run)
		}
		got, refused := gate.FilterEdits(in)
		if len(got) != want || changed && (refusals(refused, 11) != "I8" || refusals(refused, 12) != "I5") {
			t.Errorf("job 12 was requeued once: %t, accepted %v, refused %v", changed, got, refused)
		}
	}
}

// What sets jobs free goes first, then renewals, stops, leases, order, nodes.
func TestEditsOrder(t *testing.T) {
	in := editInput()
	leased(&in)
	in.AllowedStops = []bridge.Stop{{Job: 11, DecidedAt: noon, StopCost: bridge.StopCost{GPUs: 8, Beneficiary: 1}}}
	pin3, new1, site4, free := edit(&in.CommonInput, 3, slurm.EditRequireNodes), edit(&in.CommonInput, 1, slurm.EditLease), edit(&in.CommonInput, 4, slurm.EditSiteFactor), unlock(&in.CommonInput)
	pin3.Nodes, new1.Until, site4.Value = []string{"n1"}, noon.Add(time.Minute), 5
	in.Edits = []slurm.Edit{pin3, site4, new1, requeue(&in.CommonInput), free}
	got, refused := gate.FilterEdits(in)
	want := []slurm.Edit{free, requeue(&in.CommonInput), new1, site4, pin3}
	if diff := cmp.Diff(want, got); diff != "" || len(refused) > 0 {
		t.Errorf("refused %v\n%s", refused, diff)
	}
}

// Where the budget does not last, records that have no number go before those whose number would change, and of these
// the one that would move further.
func TestEditsNumberEachRecordBeforeTheyChangeOne(t *testing.T) {
	in := editInput()
	number := func(job, v int64) slurm.Edit {
		e := edit(&in.CommonInput, job, slurm.EditSiteFactor)
		e.Value = v
		return e
	}
	trifle, far, first := number(1, 5865), number(3, -900), number(4, 7)
	in.IntentBook = ledger.NewIntentBook([]bridge.Intent{
		{ID: 1, Edit: number(1, 5825), State: bridge.IntentObserved},
		{ID: 2, Edit: number(3, 100), State: bridge.IntentObserved},
	})
	in.Edits = []slurm.Edit{trifle, far, first}
	for left, want := range [][]slurm.Edit{nil, {first}, {first, far}, {first, far, trifle}} {
		in.EditsSpentElsewhere = in.Budgets.EditFloor - left
		if got, _ := gate.FilterEdits(in); !cmp.Equal(want, got) {
			t.Errorf("of a budget of %d accepted %v, want %v", left, got, want)
		}
	}
}

// Once a job is free Slurm may start it at once: what says where goes ahead of that, and
// what frees the job is not put off behind the edits of others.
func TestEditsOfAJobAreCompleteBeforeItIsFreed(t *testing.T) {
	in := editInput()
	leased(&in)
	pin, site2, site4, free := edit(&in.CommonInput, 2, slurm.EditRequireNodes), edit(&in.CommonInput, 2, slurm.EditSiteFactor), edit(&in.CommonInput, 4, slurm.EditSiteFactor), unlock(&in.CommonInput)
	pin.Nodes, site2.Value, site4.Value = []string{"n1"}, 7, 5
	in.Edits = []slurm.Edit{free, site4, pin, site2}
	got, refused := gate.FilterEdits(in)
	want := []slurm.Edit{site2, pin, free, site4}
	if diff := cmp.Diff(want, got); diff != "" || len(refused) > 0 {
		t.Errorf("refused %v\n%s", refused, diff)
	}
}

func planTasks(in *gate.EditInput, id int64) int {
	if j := planJob(&in.CommonInput, id); j != nil {
		return j.Tasks
	}
	return 0
}
