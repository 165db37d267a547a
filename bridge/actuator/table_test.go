package actuator

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

var noon = bridgetest.Noon

// TestEveryFormHasARow: what can be written is known, once, and the other way round.
func TestEveryFormHasARow(t *testing.T) {
	seen := map[slurm.EditKind]bool{}
	for i := range EditKindTable {
		r := &EditKindTable[i]
		f, ok := r.Kind.Form()
		if !ok || seen[r.Kind] || EditKindRowOf(r.Kind) != r || r.Field == nil || f.Field != r.Field.Name {
			t.Errorf("%s: form %v %v, seen %v, field %v", r.Kind, f, ok, seen[r.Kind], r.Field)
		}
		seen[r.Kind] = true
		if !bridge.ModeShare.Allows(r.NeededMode) || r.NeededMode == "" || bridge.ModeObserve.Allows(r.NeededMode) {
			t.Errorf("%s needs mode %q", r.Kind, r.NeededMode)
		}
		if r.SendPhase == PhaseGiveBack || r.SendPhase == PhaseRenewLease {
			t.Errorf("%s is sent in turn %d, which is not a kind's", r.Kind, r.SendPhase)
		}
		if r.LeavesNoValue != (r.StopTiming != NoStop) {
			t.Errorf("%s: momentary %v, stops %v", r.Kind, r.LeavesNoValue, r.StopTiming)
		}
		if r.WantedEdits != nil && !r.LeavesNoValue && (r.Undo == nil || r.Field.GivesBack == nil) {
			t.Errorf("%s: plans want it, and nothing gives it back", r.Kind)
		}
		if (r.Field.ValueOwnerOf == nil) != (r.Field.ForeignChange == nil) {
			t.Errorf("%s: whose a value is can be told, but not what became of it, or the reverse", r.Kind)
		}
	}
	for _, f := range slurm.EditForms {
		if !seen[f.Kind] {
			t.Errorf("%s has a form and no row", f.Kind)
		}
	}
}

// TestWhatIsUndoneIsGivenBack: the edit that undoes a value writes the same field,
// counts as giving back, and leaves nothing of ours.
func TestWhatIsUndoneIsGivenBack(t *testing.T) {
	j := bridgetest.NewWaitingJob()
	j.RequestedTRES, j.GresPerNode = slurm.ReadTRES("gres/gpu=4"), slurm.ReadGRESRequest("gres/gpu:4")
	for i := range EditKindTable {
		r := &EditKindTable[i]
		if r.Undo == nil {
			continue
		}
		in := &bridge.Intent{
			Edit:   slurm.Edit{Run: j.CurrentRun(), Kind: r.Kind, Value: 40, Until: noon.Add(time.Minute), Nodes: []string{"n1", "n2"}, Text: "x", Tasks: 1},
			Before: BeforeFromJob(&j), State: bridge.IntentObserved,
		}
		e, ok := NewUndoEdit(in, &j, noon)
		if !ok || e.Run != j.CurrentRun() || e.WrittenField() != in.Edit.WrittenField() || !GivesBack(e, &in.Before) {
			t.Errorf("%s is undone by %v, %v", r.Kind, e, ok)
		}
		if LeavesNoValue(in) || !LeavesNoValue(&bridge.Intent{Edit: e, Before: in.Before}) {
			t.Errorf("%s stands, and after %v nothing should", r.Kind, e)
		}
	}
}

// TestTouched: what somebody wrote into a field is seen against what was noted.
func TestTouched(t *testing.T) {
	for _, c := range []struct {
		kind   slurm.EditKind
		change func(*slurm.Job)
		want   string
	}{
		{slurm.EditLease, func(*slurm.Job) {}, ""},
		{slurm.EditLease, func(j *slurm.Job) { j.EligibleTime = noon }, "its begin time is 2026-03-02T12:00:00Z now"},
		{slurm.EditNice, func(j *slurm.Job) { j.Nice = 9 }, "its nice is 9, set by somebody"},
		{slurm.EditSiteFactor, func(j *slurm.Job) { j.Nice, j.Priority = 9, 1 }, ""},
		{slurm.EditPriority, func(j *slurm.Job) { j.Priority = 1 }, ""},
		{slurm.EditRequireNodes, func(j *slurm.Job) { j.RequiredNodes = slurm.ReadHosts("n2") }, "its required nodes are n2 now"},
		{slurm.EditExcludeNodes, func(j *slurm.Job) { j.ExcludedNodes = slurm.Hosts{} }, "its excluded nodes are  now"},
		{slurm.EditRequeue, func(j *slurm.Job) { j.Restarts++ }, ""},
	} {
		j := bridgetest.NewWaitingJob()
		noted := BeforeFromJob(&j)
		if c.change(&j); ChangeSince(c.kind, &noted, &j) != c.want {
			t.Errorf("%s: %q, want %q", c.kind, ChangeSince(c.kind, &noted, &j), c.want)
		}
	}
	j := bridgetest.NewWaitingJob()
	noted := BeforeFromJob(&j)
	if what := SlurmChangeSince(slurm.EditLease, &noted, &j); what != "" {
		t.Errorf("of a job that shows what was noted: %q", what)
	}
	if noted.Eligible = (time.Time{}); SlurmChangeSince(slurm.EditLease, &noted, &j) != "it has become eligible: it is planned anew" {
		t.Errorf("of a job that has become eligible: %q", SlurmChangeSince(slurm.EditLease, &noted, &j))
	}
	if what := SlurmChangeSince(slurm.EditNice, &noted, &j); what != "" {
		t.Errorf("its nice moved on with that: %q", what)
	}
}

// TestUnknownKind: a kind that there is not does nothing and stands nowhere.
func TestUnknownKind(t *testing.T) {
	j := bridgetest.NewWaitingJob()
	in := &bridge.Intent{Edit: slurm.Edit{Run: j.CurrentRun(), Kind: "shrink"}, State: bridge.IntentObserved}
	if _, ok := NewUndoEdit(in, &j, noon); ok || !LeavesNoValue(in) || ValueOwnerOf(in, &j) != OwnerHidden || EditKindRowOf("shrink").WantedEdits != nil {
		t.Error("an unknown kind of edit does something")
	}
}
