package ledger

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// LeftAloneByJob returns the jobs of the view that operators' actions leave alone, by id. Of several
// actions the one that lasts longest counts.
func LeftAloneByJob(standing []bridge.OperatorAction, v *slurm.View) map[int64]*bridge.OperatorAction {
	out := map[int64]*bridge.OperatorAction{}
	for i := range standing {
		a := &standing[i]
		if !a.LeavesAlone() {
			continue
		}
		for k := range v.Jobs {
			if j := &v.Jobs[k]; a.Jobs.Has(j) && !j.IsDone() && endsLater(a, out[j.ID]) {
				out[j.ID] = a
			}
		}
	}
	return out
}

func endsLater(a, than *bridge.OperatorAction) bool {
	return than == nil || !than.Until.IsZero() && (a.Until.IsZero() || a.Until.After(than.Until))
}

// NewOperatorWish returns what tells of an edit that gives a value of ours back (UndoEdits) whether operators
// asked for it: of a released job all are; of a change that is undone that of its field, and node lists, which
// nobody else would take from a job that is left alone.
func NewOperatorWish(standing []bridge.OperatorAction, intents []bridge.Intent, v *slurm.View) func(slurm.Edit) bool {
	fieldByChange := map[int64]slurm.JobField{}
	for i := range intents {
		fieldByChange[intents[i].ID] = intents[i].Edit.WrittenField()
	}
	return func(e slurm.Edit) bool {
		j := v.Job(e.Run.Job)
		return j != nil && slices.ContainsFunc(standing, func(a bridge.OperatorAction) bool {
			return a.LeavesAlone() && a.Jobs.Has(j) && (a.Kind == bridge.OperatorRelease || fieldByChange[a.Change] == e.WrittenField() ||
				actuator.EditKindRowOf(e.Kind).Field.OutliveLimit == actuator.OutlivesBriefly)
		})
	}
}

// WhyNotUndone says why the change cannot be given back alone; "": it can. intents are those of the
// ledger with the change among them.
func WhyNotUndone(change int64, intents []bridge.Intent, v *slurm.View) string {
	i := slices.IndexFunc(intents, func(in bridge.Intent) bool { return in.ID == change })
	if i < 0 {
		return "it ended long ago, and nothing of it stands"
	}
	in := &intents[i]
	if why := whyNothingStands(in); why != "" {
		return why
	}
	j := v.Job(in.Edit.Run.Job)
	if j == nil || j.IsDone() {
		return "its job is not in the queue any more"
	}
	book := NewIntentBook(intents)
	switch standing := book.StandingIntent(j.CurrentRun(), in.Edit.Kind.Field(), v.At); {
	case standing != nil && standing.ID != change:
		return fmt.Sprintf("change %d of ours came after it: undo that", standing.ID)
	case standing == nil:
		return "nothing of it stands any more"
	case book.OpenIntent(j.ID, in.Edit.Kind.Field()) != nil:
		return "a later change of ours to the same field is under way: look again in a minute"
	case book.ValueOwnerOf(in, j, v) == actuator.OwnerOther:
		return "the value is somebody else's now: " + actuator.ForeignChange(in, j)
	case j.IsHeld:
		return "its job is held by somebody, and nothing is written to held jobs"
	case !hasEditOf(UndoEdits(intents, v, v.At), in):
		return "it cannot be written now: its job runs, ends, or cannot be read"
	}
	return ""
}

func hasEditOf(edits []slurm.Edit, in *bridge.Intent) bool {
	return slices.ContainsFunc(edits, func(e slurm.Edit) bool { return e.WrittenField() == in.Edit.WrittenField() })
}

// whyNothingStands says by the intent alone why there is nothing to give back.
func whyNothingStands(in *bridge.Intent) string {
	switch {
	case actuator.EditKindRowOf(in.Edit.Kind).StopTiming != actuator.NoStop:
		return "what it did to the run of its job cannot be undone"
	case actuator.LeavesNoValue(in):
		return "it gave back a value of ours itself, and left none"
	case in.State.IsOpen():
		return "what came of it is not known yet: look again in a minute"
	}
	switch in.State {
	case bridge.IntentExpired:
		return "it ended by itself" + closedText(in.Closed)
	case bridge.IntentYielded:
		return "somebody changed the job after us, and we stepped aside: " + in.Error
	case bridge.IntentFailed, bridge.IntentVoid:
		return "it never came into effect"
	}
	return ""
}

func closedText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " at " + at.UTC().Format(time.RFC3339)
}

// BriefValuesLeftAlone returns where values of ours that are not to outlive us for long, numbers of GPUs and node
// lists, and nices that scontrol top mixed with their owners', stand in jobs that are left alone because somebody
// changed them, of partitions to which anything is sent. The plan gives none of them back, the timer does nothing
// while a daemon leads, and such a job may wait for more GPUs than its owner asked, or for one node, or keep its place.
func (b *IntentBook) BriefValuesLeftAlone(v *slurm.View, modeByPartition map[string]bridge.Mode) map[slurm.JobField]bool {
	out := map[slurm.JobField]bool{}
	isSentTo := func(p string) bool { return modeByPartition[p].Allows(bridge.ModeRank) }
	for i := range b.intents {
		in := &b.intents[i]
		f := actuator.EditKindRowOf(in.Edit.Kind).Field
		isBrief := in.Before.IsTopped || f != nil && f.OutliveLimit == actuator.OutlivesBriefly
		if in.State != bridge.IntentObserved || !isBrief {
			continue
		}
		j := v.Job(in.Edit.Run.Job)
		if j != nil && b.YieldedIntent(j.CurrentRun(), v.At) != nil && slices.ContainsFunc(j.Partitions, isSentTo) {
			out[in.Edit.WrittenField()] = true
		}
	}
	return out
}
