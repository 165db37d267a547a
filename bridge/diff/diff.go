package diff

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Input is everything Diff needs of one partition: what should be, and what is.
type Input struct {
	Plan     *policy.Plan
	Snapshot *policy.Snapshot
	View     *slurm.View
	Book     *ledger.Book
	Mode     bridge.Mode
	Order    bridge.Order
	Lease    bridge.Lease
	Pin      bool
	Warns    []bridge.Warn // warnings ahead of stops
	Lever    slurm.Kind    // the field that carries the order here
	Old      time.Duration // jobs that have waited longer are not lowered; 0: all are
}

// Diff returns the edits that lead from what Slurm shows to what the plan
// says. It is pure, and level-based: applied to its own effect it is empty.
// Nothing is sent to a field with an open intent, nor to a job that somebody
// changed after us. Every edit carries its reason.
func Diff(w Input) []slurm.Edit {
	d := differ{Input: w}
	d.line = d.inLine()
	if w.Mode.Allows(bridge.Rank) {
		d.order()
	}
	if w.Mode.Allows(bridge.Steer) {
		d.leases()
		d.pins()
	} else if w.Mode.Allows(bridge.Rank) {
		d.takeBack(slurm.FieldRequired, slurm.FieldBegin)
	}
	if w.Mode.Allows(bridge.Preempt) {
		d.requeues()
		d.warns()
	}
	slices.SortStableFunc(d.edits, func(a, b slurm.Edit) int {
		return cmp.Or(cmp.Compare(a.Run.Job, b.Run.Job), cmp.Compare(a.Kind, b.Kind))
	})
	return d.edits
}

type differ struct {
	Input
	line  []policy.Decision // see inLine
	edits []slurm.Edit
}

// add appends an edit unless its field is waiting for an outcome or the job
// was yielded.
func (d *differ) add(j *slurm.Job, e slurm.Edit) {
	if d.Book.Open(j.ID, e.Kind.Field()) != nil || d.Book.Yielded(j.Run(), d.View.At) != nil {
		return
	}
	e.Run = j.Run()
	e.Tasks = j.TaskCount()
	d.edits = append(d.edits, e)
}

// touchable returns Slurm's record of a job that edits may reach, or nil.
func (d *differ) touchable(id policy.JobID) *slurm.Job {
	j := d.View.Job(int64(id))
	if j == nil || j.Opaque != "" || j.Held || j.HetJob != 0 || j.Done() {
		return nil
	}
	return j
}

// giveBack appends the edit that restores what stood in the intent's field, if
// it can still be written.
func (d *differ) giveBack(j *slurm.Job, in *bridge.Intent, why string) {
	if e, ok := actuator.Undo(in, j, d.View.At); ok {
		e.Why = why
		d.add(j, e)
	}
}

// inLine returns the plan's decisions about touchable pending jobs: those that
// start now, then the others, each in rank order. A job that waits ahead of one
// that starts would have Slurm's scheduler keep its nodes from the latter.
func (d *differ) inLine() []policy.Decision {
	line := make([]policy.Decision, 0, len(d.Plan.Decisions))
	for _, dec := range d.Plan.Decisions {
		j := d.touchable(dec.Job)
		if j != nil && j.Pending() && d.Snapshot.Job(dec.Job).Held == "" {
			line = append(line, dec)
		}
	}
	waits := func(d policy.Decision) int {
		if d.Verb == policy.Start {
			return 0
		}
		return 1
	}
	slices.SortFunc(line, func(a, b policy.Decision) int {
		return cmp.Or(cmp.Compare(waits(a), waits(b)), cmp.Compare(a.Rank, b.Rank))
	})
	return line
}

// takeBack gives fields back that a stronger mode had written.
func (d *differ) takeBack(fields ...slurm.Field) {
	for _, dec := range d.line {
		j := d.View.Job(int64(dec.Job))
		for _, f := range fields {
			if in := d.Book.Standing(j.Run(), f, d.View.At); in != nil {
				d.giveBack(j, in, "the partition's mode no longer allows it")
			}
		}
	}
}

// requeues stops the jobs the plan stops. A move is a stop whose start comes
// in a later cycle.
func (d *differ) requeues() {
	for _, dec := range d.Plan.Decisions {
		if dec.Verb != policy.Stop && dec.Verb != policy.Move {
			continue
		}
		if j := d.touchable(dec.Job); j != nil && j.State == "RUNNING" {
			d.add(j, slurm.Edit{Kind: slurm.Requeue, Array: j.TaskAddress(), Why: dec.Why})
		}
	}
}

// warns sends the warnings ahead of stops.
func (d *differ) warns() {
	for _, w := range d.Warns {
		if j := d.touchable(policy.JobID(w.Job)); j != nil && j.State == "RUNNING" {
			d.add(j, slurm.Edit{
				Kind: slurm.Warn, Signal: w.Signal, Value: int64(w.Grace / time.Second), Array: j.TaskAddress(), Why: w.Why,
			})
		}
	}
}
