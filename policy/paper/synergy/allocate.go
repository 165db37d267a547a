package synergy

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/pool"
)

// allocator is an engine.Allocator: it says who holds GPUs in this round, where, and with how many cores
// and how much memory.
type allocator struct{ *Policy }

// candidate is a job that is to hold GPUs.
type candidate struct {
	*engine.Entry
	need    *need          // on the nodes where it is, or most likely will be; nil: it gets what it asks
	aim     policy.Amounts // what it would best have, to begin with
	on      policy.Alloc   // nil: it has no place yet
	amounts policy.Amounts // taken for it there
	server  *server        // where all of it is and its amounts are open; nil: they are not
}

// Allocate implements engine.Allocator.
func (a *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line := a.sortByTurn(r)
	left := grant.CountGrantableDevices(r)
	t := newTable(a.Policy, r)
	defer r.FreePool.Rewind(r.FreePool.UndoMark())
	var leaving []*engine.Entry
	chosen := map[*engine.Entry]*candidate{}
	for _, e := range line {
		switch {
		case grant.CompetesForLease(r, e) && takeDevices(left, e):
			chosen[e] = &candidate{Entry: e}
		case e.HoldsGPUs() && !e.IsUnstoppable:
			leaving = append(leaving, e)
			pool.GiveBackHeld(r.FreePool, e.Job)
		}
	}
	t.place(line, chosen)
	stopped := t.retake(leaving)
	t.settleServers()
	return a.assign(r, line, chosen, stopped), nil
}

// takeDevices counts the GPUs of a job, those that it runs on where it does, and reports whether they are left.
func takeDevices(left grant.FreeByType, e *engine.Entry) bool {
	if len(e.On) == 0 {
		return left.TakeDevices(e.Ask.GPUs.Type, e.WantedDeviceCount)
	}
	for _, s := range e.On {
		if !left.TakeDevices(s.Type, s.Count) {
			return false
		}
	}
	return true
}

// sortByTurn returns the entries, first served first.
func (a *allocator) sortByTurn(r *engine.Round) []*engine.Entry {
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(x, y *engine.Entry) int {
		return engine.ThenArrival(cmp.Compare(a.turn(x), a.turn(y)), x, y)
	})
	return line
}

// turn is the less the sooner it is the job's turn.
func (a *allocator) turn(e *engine.Entry) float64 {
	switch {
	case a.Base == baseAttained:
		return float64(e.Attained)
	case a.Base == baseLength:
		return e.Estimate().TimeLeft.Seconds()
	case e.HoldsGPUs():
		return 0
	}
	return 1
}

// retake lets jobs without a lease run on as far as their GPUs are left, and returns the others with the
// reason to stop them.
func (t *table) retake(leaving []*engine.Entry) map[*engine.Entry]string {
	stopped := map[*engine.Entry]string{}
	for _, e := range leaving {
		switch {
		case pool.TakeHeldAgain(t.round.FreePool, e.Job) == nil:
		case t.isTaken(e.On):
			stopped[e] = "it is the turn of others, and they are placed there"
		default:
			pool.OverdrawHeld(t.round.FreePool, e.Job)
		}
	}
	return stopped
}

// isTaken reports whether a job was newly placed on a node of the allocation.
func (t *table) isTaken(on policy.Alloc) bool {
	return slices.ContainsFunc(on.Nodes(), func(n string) bool { return t.newcomers[n] })
}

// assign writes the assignments down: those that have a place first.
func (a *allocator) assign(r *engine.Round, line []*engine.Entry, chosen map[*engine.Entry]*candidate, stopped map[*engine.Entry]string) []engine.Assignment {
	rank := func(e *engine.Entry) int {
		switch c := chosen[e]; {
		case c != nil && len(c.on) > 0:
			return 0
		case c != nil:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(line, func(x, y *engine.Entry) int { return cmp.Compare(rank(x), rank(y)) })
	all := make([]engine.Assignment, len(line))
	for i, e := range line {
		t, c := e.AssignmentWithoutLease(), chosen[e]
		if !r.OmitReasons {
			t.Note = a.noteFor(e, c)
		}
		if c != nil {
			a.fillAssignment(&t, c)
		}
		t.Grant.StopReason = stopped[e]
		all[i] = t
	}
	return all
}

// fillAssignment gives a chosen job its lease, and its place where it has one.
func (a *allocator) fillAssignment(t *engine.Assignment, c *candidate) {
	t.Grant.HasLease = true
	switch {
	case len(c.on) == 0 && a.How == byGreed && c.need != nil && !c.HoldsGPUs():
		t.DeviceCount = 0 // it waits until it gets all it needs
	case len(c.on) > 0:
		t.Alloc = c.on
		if c.need != nil {
			t.Amounts = c.amounts
		}
	}
}

// noteFor says what decided when it is the job's turn, and what it was given beside its GPUs.
func (a *allocator) noteFor(e *engine.Entry, c *candidate) string {
	note := "running jobs first, then the first to arrive"
	switch a.Base {
	case baseAttained:
		note = fmt.Sprintf("it has had %v, least first", e.Attained)
	case baseLength:
		note = fmt.Sprintf("%s left, least first", policy.FormatDuration(e.Estimate().TimeLeft))
	}
	if c != nil && c.need != nil && len(c.on) > 0 {
		note += fmt.Sprintf("; %v, with which it is %.2f times as fast as with its share by GPUs, %v", c.amounts,
			e.CPUScaling.SpeedWith(e.WantedDeviceCount, c.amounts)/e.CPUScaling.SpeedWith(e.WantedDeviceCount, c.need.share), c.need.share)
	}
	return note
}
