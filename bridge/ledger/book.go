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
	yieldedIntentByJob      map[int64]*bridge.Intent
	unansweredUndoIDByField map[slurm.JobField]int64 // the last that was to give a hidden number back, had no answer, and may have

	intents       []bridge.Intent
	valuesByField map[slurm.JobField][]*bridge.Intent // all that left a value of ours, which may stand or have stood; nil: not built yet

	yieldTime time.Duration // see WithYieldTime
}

// NewIntentBook indexes intents, which are sorted by ID.
func NewIntentBook(intents []bridge.Intent) *IntentBook {
	b := &IntentBook{
		newestIntentByField: map[slurm.JobField]*bridge.Intent{}, openIntentByField: map[slurm.JobField]*bridge.Intent{}, yieldedIntentByJob: map[int64]*bridge.Intent{},
		unansweredUndoIDByField: map[slurm.JobField]int64{}, intents: intents, yieldTime: 24 * time.Hour,
	}
	for i := range intents {
		in := &intents[i]
		switch {
		case in.State.IsOpen():
			b.openIntentByField[in.Edit.WrittenField()] = in
		case in.State == bridge.IntentObserved:
			b.newestIntentByField[in.Edit.WrittenField()] = in
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

// YieldedIntent returns why the job is left alone now, or nil: somebody changed it
// after us lately, or its priority did not follow our number.
func (b *IntentBook) YieldedIntent(run slurm.Run, now time.Time) *bridge.Intent {
	if in := b.yieldedIntentByJob[run.Job]; in != nil && IsSameJob(in.Edit.Run, run) && (in.Closed.IsZero() || now.Sub(in.Closed) < b.yieldTime) {
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
