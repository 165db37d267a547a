package ledger

import (
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// IsSameJob reports whether now is the job that old was a run of: the same run,
// or a later restart of it. A reused job id is another job.
func IsSameJob(old, now slurm.Run) bool {
	return old.IsSameRun(now) || old.Job == now.Job && now.Restarts > old.Restarts
}

// IntentBook indexes intents by job and field: which value of ours stands where, and
// where an outcome is still open.
type IntentBook struct {
	newestIntentByField     map[slurm.JobField]*bridge.Intent // newest that reached Slurm, as far as we know
	openIntentByField       map[slurm.JobField]*bridge.Intent
	yieldedIntentByJob      map[int64]*bridge.Intent          // of what more than tells; and of scontrol top
	yieldedTellingByField   map[slurm.JobField]*bridge.Intent // of what only tells
	sizeInVainByJob         map[int64]*bridge.Intent          // the last that took a size back on which the job did not start
	unansweredUndoIDByField map[slurm.JobField]int64          // the last that was to give a hidden number back, had no answer, and may have

	intents       []bridge.Intent
	valuesByField map[slurm.JobField][]*bridge.Intent // all that left a value of ours, which may stand or have stood; nil: not built yet

	yieldTime      time.Duration // see WithYieldTime
	leftAloneByJob map[int64]*bridge.Intent
}

// NewIntentBook indexes intents, which are sorted by ID.
func NewIntentBook(intents []bridge.Intent) *IntentBook {
	b := &IntentBook{
		newestIntentByField: map[slurm.JobField]*bridge.Intent{}, openIntentByField: map[slurm.JobField]*bridge.Intent{}, yieldedIntentByJob: map[int64]*bridge.Intent{}, yieldedTellingByField: map[slurm.JobField]*bridge.Intent{},
		sizeInVainByJob: map[int64]*bridge.Intent{}, unansweredUndoIDByField: map[slurm.JobField]int64{}, intents: intents, yieldTime: 24 * time.Hour,
	}
	for i := range intents {
		in := &intents[i]
		if actuator.WasSizeInVain(&in.Edit) && !in.Sent.IsZero() {
			b.sizeInVainByJob[in.Edit.Run.Job] = in
		}
		if in.Before.IsTopped {
			b.yieldedIntentByJob[in.Edit.Run.Job] = in
		}
		switch {
		case in.State.IsOpen():
			b.openIntentByField[in.Edit.WrittenField()] = in
		case in.State == bridge.IntentObserved:
			b.newestIntentByField[in.Edit.WrittenField()] = in
		case in.State == bridge.IntentYielded && actuator.EditKindRowOf(in.Edit.Kind).OnlyTells:
			b.yieldedTellingByField[in.Edit.WrittenField()] = in
		case in.State == bridge.IntentYielded:
			b.yieldedIntentByJob[in.Edit.Run.Job] = in
		case mayHaveUndone(in) && !actuator.IsFieldShown(in.Edit.Kind.Field()):
			b.unansweredUndoIDByField[in.Edit.WrittenField()] = in.ID
		}
	}
	return b
}

// valuesOf returns the intents that left a value of ours in the field, which may stand or have
// stood, by ID. They matter only after slurmctld was started anew, so they are found when they
// are first asked for.
func (b *IntentBook) valuesOf(at slurm.JobField) []*bridge.Intent {
	if b.valuesByField == nil {
		b.valuesByField = map[slurm.JobField][]*bridge.Intent{}
		for i := range b.intents {
			if in := &b.intents[i]; leftValue(in) {
				b.valuesByField[in.Edit.WrittenField()] = append(b.valuesByField[in.Edit.WrittenField()], in)
			}
		}
	}
	return b.valuesByField[at]
}

// StandingIntent returns the intent whose value stands in the field now and is ours,
// or nil. Its effect was observed, it belongs to the same job, and it has not
// expired.
func (b *IntentBook) StandingIntent(run slurm.Run, f slurm.Field, now time.Time) *bridge.Intent {
	in := b.newestIntentByField[slurm.JobField{Job: run.Job, Field: f}]
	if in == nil || !IsSameJob(in.Edit.Run, run) || !in.IsInForce(now) || actuator.LeavesNoValue(in) {
		return nil
	}
	return in
}

// OpenIntent returns the intent of the field whose outcome is still to be seen, or
// nil. While there is one nothing else is sent to the field.
func (b *IntentBook) OpenIntent(job int64, f slurm.Field) *bridge.Intent {
	return b.openIntentByField[slurm.JobField{Job: job, Field: f}]
}

// priorityOffsetFields are the fields whose value the job's priority is to follow.
var priorityOffsetFields = actuator.FieldsWhere(func(r *actuator.EditKindRow) bool { return r.AddsToPriority })

// WithYieldTime returns the book with another time for which a job is left alone
// after somebody changed what we had set (Budgets.YieldFor), at most as far back as
// the intents reach. NewIntentBook has a day.
func (b *IntentBook) WithYieldTime(d time.Duration) *IntentBook {
	other := *b
	other.yieldTime = d
	return &other
}

// WithLeftAlone returns the book in which the jobs, by id, are left alone because of what operators did.
func (b *IntentBook) WithLeftAlone(byJob map[int64]*bridge.OperatorAction) *IntentBook {
	other := *b
	other.leftAloneByJob = map[int64]*bridge.Intent{}
	for job, a := range byJob {
		other.leftAloneByJob[job] = &bridge.Intent{State: bridge.IntentYielded, Edit: slurm.Edit{Run: slurm.Run{Job: job}}, Made: a.At, Error: a.LeftAloneText()}
	}
	return &other
}

// YieldedIntent returns why the job is left alone now, or nil: somebody changed it
// after us lately, an operator said so, or its priority did not follow our number.
func (b *IntentBook) YieldedIntent(run slurm.Run, now time.Time) *bridge.Intent {
	if in := b.leftAloneByJob[run.Job]; in != nil {
		return in
	}
	if in := b.yieldedIntentByJob[run.Job]; b.isYieldOf(in, run, now) {
		return in
	}
	for _, f := range priorityOffsetFields {
		in := b.newestIntentByField[slurm.JobField{Job: run.Job, Field: f}]
		if in != nil && WasPriorityIgnored(in) && IsSameJob(in.Edit.Run, run) && now.Sub(in.Sent) < b.yieldTime {
			return in
		}
	}
	return nil
}

// YieldedTelling returns why nothing more is told in the field of the job now, or nil: somebody
// wrote there after us lately. What only tells is no reason to leave the job alone, so that
// YieldedIntent does not know it.
func (b *IntentBook) YieldedTelling(run slurm.Run, f slurm.Field, now time.Time) *bridge.Intent {
	if in := b.yieldedTellingByField[slurm.JobField{Job: run.Job, Field: f}]; b.isYieldOf(in, run, now) {
		return in
	}
	return nil
}

// isYieldOf reports whether the intent, if there is one, was given up in favour of somebody lately.
func (b *IntentBook) isYieldOf(in *bridge.Intent, run slurm.Run, now time.Time) bool {
	return in != nil && IsSameJob(in.Edit.Run, run) && (in.Closed.IsZero() || now.Sub(in.Closed) < b.yieldTime)
}

// UndoEdits returns the edits that give back every value of ours that stands in
// Slurm, also in jobs left to a person: one per job and field, and only where
// the value is not somebody else's by now. Held jobs are left alone: no edit
// may reach them.
func UndoEdits(intents []bridge.Intent, v *slurm.View, now time.Time) []slurm.Edit {
	book, last := NewIntentBook(intents), lastSeenIDByField(intents)
	var edits []slurm.Edit
	for i := range intents {
		in := &intents[i]
		j := v.Job(in.Edit.Run.Job)
		if in.State != bridge.IntentObserved || in.ID != last[in.Edit.WrittenField()] || j == nil || j.IsDone() || isJobEnding(j) || j.IsHeld || j.UntrustedReason != "" {
			continue
		}
		field := in.Edit.Kind.Field()
		if book.StandingIntent(j.CurrentRun(), field, now) != in || book.OpenIntent(j.ID, field) != nil || book.ValueOwnerOf(in, j, v) == actuator.OwnerOther {
			continue // no longer ours, or an outcome is still to be seen
		}
		if field == slurm.FieldRequiredNodes && actuator.BoundReason(book.OpenIntent(j.ID, slurm.FieldGPUs), j) != "" {
			continue
		}
		if e, ok := actuator.NewUndoEdit(in, j, now); ok {
			edits = append(edits, e)
		}
	}
	edits = append(edits, repeatedUndoEdits(intents, v)...)
	// A begin time goes last: once it is gone the job may start, and the rest can
	// no longer be given back, but for what only tells.
	slices.SortStableFunc(edits, func(a, b slurm.Edit) int { return undoRank(a) - undoRank(b) })
	return edits
}

// isJobEnding reports whether the job is on its way out for good: it cleans up, and no
// edit reaches it.
func isJobEnding(j *slurm.Job) bool {
	return j.HasFlag("COMPLETING") && j.State != "PENDING" && j.State != "RUNNING" && j.State != "SUSPENDED"
}

// BlockedUndoEdits returns the values of ours that stand in jobs that cannot be written to
// now: the job runs, is held by a person, or cannot be read. They can be given
// back when it waits again.
func BlockedUndoEdits(intents []bridge.Intent, v *slurm.View, now time.Time) []slurm.Edit {
	book := NewIntentBook(intents)
	var edits []slurm.Edit
	for i := range intents {
		in := &intents[i]
		j := v.Job(in.Edit.Run.Job)
		if in.State != bridge.IntentObserved || j == nil || j.IsDone() || book.StandingIntent(j.CurrentRun(), in.Edit.Kind.Field(), now) != in {
			continue
		}
		_, ok := actuator.NewUndoEdit(in, j, now)
		if (!ok || j.IsHeld || j.UntrustedReason != "") && book.ValueOwnerOf(in, j, v) != actuator.OwnerOther {
			e := in.Edit
			e.Address = j.Address()
			edits = append(edits, e)
		}
	}
	return edits
}

func undoRank(e slurm.Edit) int {
	switch row := actuator.EditKindRowOf(e.Kind); {
	case row.OnlyTells:
		return 3
	case row.LetsJobStart:
		return 2
	case row.Field.Name == slurm.FieldGPUs: // a job on shards stays bound to its node until it has its GPU back
		return 0
	}
	return 1
}

// HighestPossibleValue returns the highest number of ours that may stand in the job's field, 0
// where none does. It is more than the value of the standing intent where that is
// a site factor, which no record shows, and had no answer: then what stood before
// may stand still, and after an answer was lost to what gave it back nothing may.
func (b *IntentBook) HighestPossibleValue(run slurm.Run, f slurm.Field, now time.Time) int64 {
	in := b.StandingIntent(run, f, now)
	if in == nil {
		return 0
	}
	most := highestPossibleValue(in)
	if b.unansweredUndoIDByField[slurm.JobField{Job: run.Job, Field: f}] > in.ID {
		most = max(most, 0)
	}
	return most
}

// highestPossibleValue is the highest of the values one of which stands.
func highestPossibleValue(in *bridge.Intent) int64 {
	switch {
	case !isValueUncertain(in):
		return in.Edit.Value
	case in.Before.OurHighestValue != 0:
		return max(in.Edit.Value, in.Before.OurValue, in.Before.OurHighestValue)
	}
	return max(in.Edit.Value, in.Before.OurValue)
}

// isValueUncertain reports whether no answer came to a number that no record shows, and no
// priority told whether it was taken.
func isValueUncertain(in *bridge.Intent) bool {
	return !actuator.IsFieldShown(in.Edit.Kind.Field()) && in.State == bridge.IntentObserved && in.Error != "" && in.Polls < maxMissedPolls
}

// mayHaveUndone reports whether the intent was to give its field back and its
// answer was waited for in vain.
func mayHaveUndone(in *bridge.Intent) bool {
	return in.State == bridge.IntentFailed && actuator.LeavesNoValue(in) && !in.Sent.IsZero() && in.Polls < maxMissedPolls && in.Closed.Sub(in.Sent) > maxUnansweredTime
}

// sizeInVainTime is for how long a job that Slurm kept from starting on a number of GPUs of ours keeps its
// owner's: limits of accounts and QOS change seldom, and each try is time that the job does not start in.
const sizeInVainTime = 24 * time.Hour

// WasSizeInVain reports whether a number of GPUs of ours was lately taken back from the job because
// Slurm did not start it on that many.
func (b *IntentBook) WasSizeInVain(run slurm.Run, now time.Time) bool {
	in := b.sizeInVainByJob[run.Job]
	return in != nil && IsSameJob(in.Edit.Run, run) && now.Sub(in.Sent) < sizeInVainTime
}

// SizesToResumeOn returns what GPUs jobs, by id, were requeued to resume on, of those that the
// view shows waiting since that requeue.
func SizesToResumeOn(intents []bridge.Intent, v *slurm.View) map[int64]actuator.Size {
	sizes := map[int64]actuator.Size{}
	for i := range intents {
		in := &intents[i]
		if in.Edit.Kind != slurm.EditRequeue || in.Edit.Value == 0 || in.Sent.IsZero() || in.State == bridge.IntentFailed {
			continue
		}
		j := v.Job(in.Edit.Run.Job)
		if j != nil && j.IsPending() && IsSameJob(in.Edit.Run, j.CurrentRun()) && j.Restarts == in.Edit.Run.Restarts+1 {
			sizes[j.ID] = actuator.Size{Count: in.Edit.Value, Type: in.Edit.Text}
		}
	}
	return sizes
}
