package actuator

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// IntentBook is what the ledger knows of the values of ours in Slurm.
type IntentBook interface {
	// StandingIntent returns the intent whose value stands in the run's field now and is
	// ours, or nil.
	StandingIntent(run slurm.Run, f slurm.Field, now time.Time) *bridge.Intent
	// HighestPossibleValue returns the highest number of ours that may stand in the field, 0 where
	// none does.
	HighestPossibleValue(run slurm.Run, f slurm.Field, now time.Time) int64
	// YieldedIntent returns why the job is left alone now, or nil.
	YieldedIntent(run slurm.Run, now time.Time) *bridge.Intent
}

// PartitionGoal is what should be in one partition, and what is.
type PartitionGoal struct {
	Plan             *policy.Plan
	Snapshot         *policy.Snapshot
	View             *slurm.View
	IntentBook       IntentBook
	OrderConfig      bridge.Order
	LeaseConfig      bridge.Lease
	MayPin           bool
	PlannedWarnings  []bridge.PlannedWarning // warnings ahead of stops
	OrderEditKind    slurm.EditKind          // the field that carries the order here
	MaxLowerableWait time.Duration           // jobs that have waited longer are not lowered; 0: all are
	Partition        string                  // the plan's
	ModeByPartition  map[string]bridge.Mode  // of all managed partitions
	SizeToResumeOn   map[int64]Size          // what GPUs jobs, by id, were requeued to resume on, and have not yet

	shareByJob       map[policy.JobID]sharing.Assignment // see shareOf
	orderedDecisions []policy.Decision                   // see PendingDecisionsInOrder
}

// PendingDecisionsInOrder returns the plan's decisions about pending jobs that edits may reach: those that
// start now, then the others, each in rank order. A job that waits ahead of one
// that starts would have Slurm's scheduler keep its nodes from the latter.
func (g *PartitionGoal) PendingDecisionsInOrder() []policy.Decision {
	if g.orderedDecisions != nil {
		return g.orderedDecisions
	}
	var order []*policy.Decision // sorted by reference: decisions are large
	for i := range g.Plan.Decisions {
		dec := &g.Plan.Decisions[i]
		j := g.editableJob(dec.Job)
		if j != nil && j.IsPending() && g.Snapshot.Job(dec.Job).HeldReason == "" {
			order = append(order, dec)
		}
	}
	waits := func(d *policy.Decision) int {
		if d.Verb == policy.Start {
			return 0
		}
		return 1
	}
	slices.SortFunc(order, func(a, b *policy.Decision) int {
		return cmp.Or(cmp.Compare(waits(a), waits(b)), cmp.Compare(a.Rank, b.Rank))
	})
	g.orderedDecisions = make([]policy.Decision, len(order))
	for i := range order {
		g.orderedDecisions[i] = *order[i]
	}
	return g.orderedDecisions
}

// decisionsReaching returns the decisions about pending jobs whose value in the field edits may reach: also
// those about jobs that a limit keeps back, where our own value may be why.
func (g *PartitionGoal) decisionsReaching(f *FieldRow) []policy.Decision {
	line := g.PendingDecisionsInOrder()
	if f.OutliveLimit != OutlivesBriefly {
		return line
	}
	line = slices.Clip(line)
	for _, dec := range g.Plan.Decisions {
		j := g.editableJob(dec.Job)
		if j != nil && j.IsPending() && g.Snapshot.Job(dec.Job).HeldReason != "" {
			line = append(line, dec)
		}
	}
	return line
}

// WantedEdits returns the edits of the row's kind that lead to the goal, and those that
// give back what is no longer wanted.
func (g *PartitionGoal) WantedEdits(r *EditKindRow) []slurm.Edit {
	if r.WantedEdits == nil {
		return nil
	}
	return r.WantedEdits(g)
}

// TakeBackEdits returns the edits that give back what a stronger mode had written by
// edits of the row's kind.
func (g *PartitionGoal) TakeBackEdits(r *EditKindRow) []slurm.Edit {
	var edits []slurm.Edit
	for _, dec := range g.decisionsReaching(r.Field) {
		j := g.View.Job(int64(dec.Job))
		if in := g.standingIntent(j, r.Field); r.Undo != nil && in != nil && in.Edit.Kind == r.Kind {
			edits = g.appendUndoEdit(edits, r.Undo, in, j, "the partition's mode no longer allows it")
		}
	}
	return edits
}

// editableJob returns Slurm's record of a job that edits may reach, or nil.
func (g *PartitionGoal) editableJob(id policy.JobID) *slurm.Job {
	j := g.View.Job(int64(id))
	if j == nil || j.UntrustedReason != "" || j.IsHeld || j.HetJobID != 0 || j.IsDone() {
		return nil
	}
	return j
}

// standingIntent returns the intent whose value of ours stands in the job's field, or nil.
func (g *PartitionGoal) standingIntent(j *slurm.Job, f *FieldRow) *bridge.Intent {
	return g.IntentBook.StandingIntent(j.CurrentRun(), f.Name, g.View.At)
}

// editForJob makes the edit one of the job.
func (g *PartitionGoal) editForJob(j *slurm.Job, e slurm.Edit) slurm.Edit {
	e.Run, e.Address, e.Tasks = j.CurrentRun(), j.Address(), j.TaskCount()
	return e
}

// appendUndoEdit appends the edit that restores what stood in the intent's field, if
// it can still be written.
func (g *PartitionGoal) appendUndoEdit(edits []slurm.Edit, how UndoFunc, in *bridge.Intent, j *slurm.Job, why string) []slurm.Edit {
	e, ok := newUndoEditBy(how, in, j, g.View.At)
	if !ok {
		return edits
	}
	e.Why = why
	return append(edits, g.editForJob(j, e))
}
