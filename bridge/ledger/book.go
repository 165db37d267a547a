package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Field is a field of a Slurm job. Several kinds of edit may write one.
type Field string

// The fields.
const (
	Begin    Field = "begin_time"
	Priority Field = "priority"
	Site     Field = "site_factor"
	NiceBy   Field = "nice"
	Required Field = "required_nodes"
	Excluded Field = "excluded_nodes"
	Count    Field = "gpus"
	RunState Field = "run"    // what a requeue changes
	Warned   Field = "warned" // nothing that Slurm shows: the script had a signal
)

// FieldOf returns the field an edit writes.
func FieldOf(k slurm.Kind) Field {
	switch k {
	case slurm.Lease, slurm.Unlease:
		return Begin
	case slurm.Priority, slurm.HardHold, slurm.HandBack:
		return Priority
	case slurm.SiteFactor:
		return Site
	case slurm.Nice:
		return NiceBy
	case slurm.Require:
		return Required
	case slurm.Exclude:
		return Excluded
	case slurm.SetGPUs:
		return Count
	case slurm.Warn:
		return Warned
	}
	return RunState
}

// SameJob reports whether now is the job that old was a run of: the same run,
// or a later restart of it. A reused job id is another job.
func SameJob(old, now slurm.Run) bool {
	return old.Same(now) || old.Job == now.Job && now.Restarts > old.Restarts
}

type spot struct {
	job   int64
	field Field
}

// Book indexes intents by job and field: which value of ours stands where, and
// where an outcome is still open.
type Book struct {
	newest  map[spot]*bridge.Intent // newest that reached Slurm, as far as we know
	open    map[spot]*bridge.Intent
	yielded map[int64]*bridge.Intent
	undone  map[spot]int64 // the last that was to give a hidden number back, had no answer, and may have
}

// NewBook indexes intents, which are sorted by ID.
func NewBook(intents []bridge.Intent) *Book {
	b := &Book{newest: map[spot]*bridge.Intent{}, open: map[spot]*bridge.Intent{}, yielded: map[int64]*bridge.Intent{}, undone: map[spot]int64{}}
	for i := range intents {
		in := &intents[i]
		at := spot{in.Edit.Run.Job, FieldOf(in.Edit.Kind)}
		switch {
		case in.State.Open():
			b.open[at] = in
		case in.State == bridge.Observed:
			b.newest[at] = in
		case in.State == bridge.Yielded:
			b.yielded[in.Edit.Run.Job] = in
		case at.field == Site && mayHaveUndone(in):
			b.undone[at] = in.ID
		}
	}
	return b
}

// Standing returns the intent whose value stands in the field now and is ours,
// or nil. Its effect was observed, it belongs to the same job, and it has not
// expired.
func (b *Book) Standing(run slurm.Run, f Field, now time.Time) *bridge.Intent {
	in := b.newest[spot{run.Job, f}]
	if in == nil || !SameJob(in.Edit.Run, run) || !in.Live(now) || neutral(in) {
		return nil
	}
	return in
}

// Open returns the intent of the field whose outcome is still to be seen, or
// nil. While there is one nothing else is sent to the field.
func (b *Book) Open(job int64, f Field) *bridge.Intent { return b.open[spot{job, f}] }

// yieldFor is how long a job is left alone after somebody changed what we had
// set.
const yieldFor = 24 * time.Hour

// Yielded returns why the job is left alone now, or nil: somebody changed it
// after us within the last day, or its priority did not follow our number.
func (b *Book) Yielded(run slurm.Run, now time.Time) *bridge.Intent {
	if in := b.yielded[run.Job]; in != nil && SameJob(in.Edit.Run, run) && (in.Closed.IsZero() || now.Sub(in.Closed) < yieldFor) {
		return in
	}
	for _, f := range []Field{Site, NiceBy} {
		in := b.newest[spot{run.Job, f}]
		if in != nil && Unfelt(in) && SameJob(in.Edit.Run, run) && now.Sub(in.Sent) < yieldFor {
			return in
		}
	}
	return nil
}

// neutral reports whether the intent gave its field back.
func neutral(in *bridge.Intent) bool {
	return momentary(in.Edit.Kind) || GivesBack(in.Edit, &in.Before)
}

// momentary reports whether edits of the kind leave no value in Slurm.
func momentary(k slurm.Kind) bool { return k == slurm.Requeue || k == slurm.Warn }
