package bridge

import (
	"math/bits"

	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// leverTop bounds the numbers of each lever, far below Slurm's limits.
const leverTop int64 = 1_900_000_000

// minGap keeps neighbours apart by more than what age and fair share move a
// priority between two cycles, so that a drift neither reorders the line nor
// hides the effect of an edit.
const minGap int64 = 1 << 16

// order gives the head of the line numbers in rank order, and takes back the
// number of pending jobs that are no longer in it.
func (d *differ) order() {
	head := d.line[:min(len(d.line), d.Order.Window)]
	gap := d.gap(d.line)
	have := make([]int64, len(head))
	for i, dec := range head {
		have[i] = d.number(d.View.Job(int64(dec.Job)))
	}
	lift(head, have)
	for i, n := range renumber(have, gap, leverTop) {
		if n != have[i] {
			d.setNumber(head[i], n)
		}
	}
	for _, dec := range d.line[len(head):] {
		j := d.View.Job(int64(dec.Job))
		if in := d.Book.Standing(j.Run(), ledger.FieldOf(d.Lever), d.View.At); in != nil {
			d.giveBack(j, in, "no longer near the head of the line: its order is given back to Slurm")
		}
	}
}

// lift forgets the numbers of what starts now that are not above those of what
// waits: jobs that start are raised rather than those that wait lowered, which
// would be one edit for each and is not allowed of jobs that waited very long.
func lift(line []policy.Decision, have []int64) {
	top := int64(0)
	for i, dec := range line {
		if dec.Verb != policy.Start {
			top = max(top, have[i])
		}
	}
	for i, dec := range line {
		if dec.Verb == policy.Start && have[i] <= top {
			have[i] = 0
		}
	}
}

// number returns the number of ours that stands in the job's order field, in
// the lever's own direction (higher first), or 0.
func (d *differ) number(j *slurm.Job) int64 {
	in := d.Book.Standing(j.Run(), ledger.FieldOf(d.Lever), d.View.At)
	if in == nil || in.Edit.Kind != d.Lever {
		return 0
	}
	switch d.Lever {
	case slurm.Nice:
		return in.Before.Nice - in.Before.Ours - in.Edit.Value
	case slurm.Priority:
		return in.Edit.Value - slurm.MinPriority
	}
	return in.Edit.Value
}

func (d *differ) setNumber(dec policy.Decision, n int64) {
	j := d.View.Job(int64(dec.Job))
	e := slurm.Edit{Kind: d.Lever, Value: n, Why: dec.Why}
	switch d.Lever {
	case slurm.Nice:
		base := j.Nice
		if in := d.Book.Standing(j.Run(), ledger.NiceBy, d.View.At); in != nil {
			base = in.Before.Nice - in.Before.Ours
		}
		e.Value = base - n
	case slurm.Priority:
		e.Value = slurm.MinPriority + n
	}
	d.add(j, e)
}

// gap returns how far apart the numbers of neighbours must be. To override
// Slurm's order it must exceed what Slurm's own priorities differ by; to blend
// with it a fifth of that is spread over the window. A power of two, so that
// it seldom changes.
func (d *differ) gap(line []policy.Decision) int64 {
	lo, hi := int64(1<<62), int64(0)
	for _, dec := range line {
		j := d.View.Job(int64(dec.Job))
		own := j.Priority
		if d.Lever != slurm.Priority {
			own -= d.number(j)
		} else if d.number(j) != 0 {
			continue // direct: Slurm's own number is not shown
		}
		lo, hi = min(lo, own), max(hi, own)
	}
	spread := max(hi-lo, 0)
	window := int64(max(d.Order.Window, 1))
	gap := ceilPower(max(spread+1, minGap))
	if d.Order.Strength == Blend {
		gap = ceilPower(max(spread/5/window, 1))
	}
	return min(gap, leverTop/(2*window))
}

func ceilPower(v int64) int64 { return 1 << bits.Len64(uint64(v-1)) }
