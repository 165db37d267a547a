package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// SameJob reports whether now is the job that old was a run of: the same run,
// or a later restart of it. A reused job id is another job.
func SameJob(old, now slurm.Run) bool {
	return old.IsSameRun(now) || old.Job == now.Job && now.Restarts > old.Restarts
}

// Book indexes intents by job and field: which value of ours stands where, and
// where an outcome is still open.
type Book struct {
	newest      map[slurm.JobField]*bridge.Intent // newest that reached Slurm, as far as we know
	openIntents map[slurm.JobField]*bridge.Intent
	yielded     map[int64]*bridge.Intent
	undone      map[slurm.JobField]int64 // the last that was to give a hidden number back, had no answer, and may have

	yieldFor time.Duration // see WithYieldTime
}

// NewBook indexes intents, which are sorted by ID.
func NewBook(intents []bridge.Intent) *Book {
	b := &Book{
		newest: map[slurm.JobField]*bridge.Intent{}, openIntents: map[slurm.JobField]*bridge.Intent{}, yielded: map[int64]*bridge.Intent{},
		undone: map[slurm.JobField]int64{}, yieldFor: 24 * time.Hour,
	}
	for i := range intents {
		in := &intents[i]
		at := in.Edit.WrittenField()
		switch {
		case in.State.IsOpen():
			b.openIntents[at] = in
		case in.State == bridge.Observed:
			b.newest[at] = in
		case in.State == bridge.Yielded:
			b.yielded[in.Edit.Run.Job] = in
		case !actuator.IsFieldShown(at.Field) && mayHaveUndone(in):
			b.undone[at] = in.ID
		}
	}
	return b
}

// StandingIntent returns the intent whose value stands in the field now and is ours,
// or nil. Its effect was observed, it belongs to the same job, and it has not
// expired.
func (b *Book) StandingIntent(run slurm.Run, f slurm.Field, now time.Time) *bridge.Intent {
	in := b.newest[slurm.JobField{Job: run.Job, Field: f}]
	if in == nil || !SameJob(in.Edit.Run, run) || !in.IsInForce(now) || actuator.LeavesNoValue(in) {
		return nil
	}
	return in
}

// OpenIntent returns the intent of the field whose outcome is still to be seen, or
// nil. While there is one nothing else is sent to the field.
func (b *Book) OpenIntent(job int64, f slurm.Field) *bridge.Intent {
	return b.openIntents[slurm.JobField{Job: job, Field: f}]
}

// offsetFields are the fields whose value the job's priority is to follow.
var offsetFields = actuator.FieldsWhere(func(r *actuator.KindRow) bool { return r.AddsToPriority })

// WithYieldTime returns the book with another time for which a job is left alone
// after somebody changed what we had set (Budgets.YieldFor), at most as far back as
// the intents reach. NewBook has a day.
func (b *Book) WithYieldTime(d time.Duration) *Book {
	other := *b
	other.yieldFor = d
	return &other
}

// YieldedIntent returns why the job is left alone now, or nil: somebody changed it
// after us lately, or its priority did not follow our number.
func (b *Book) YieldedIntent(run slurm.Run, now time.Time) *bridge.Intent {
	if in := b.yielded[run.Job]; in != nil && SameJob(in.Edit.Run, run) && (in.Closed.IsZero() || now.Sub(in.Closed) < b.yieldFor) {
		return in
	}
	for _, f := range offsetFields {
		in := b.newest[slurm.JobField{Job: run.Job, Field: f}]
		if in != nil && PriorityIgnored(in) && SameJob(in.Edit.Run, run) && now.Sub(in.Sent) < b.yieldFor {
			return in
		}
	}
	return nil
}
