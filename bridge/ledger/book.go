package ledger

import (
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
