package engine

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// A Sparable stage need not be asked in every round. Where neither ranks nor reasons will be read, and the one
// job that waits, if any does, has room, the line decides nothing else: a Pipeline then asks neither Orderer nor
// Leaser, if both say so.
type Sparable interface {
	// IsSparable reports whether the stage remembers nothing of the round, and lets what runs run on where it is
	// as long as no job needs its devices.
	IsSparable(*policy.Snapshot) bool
}

// A WaitingOrderer is a Sparable Orderer that orders the jobs that wait for less than all. Where every one of several
// has room, no more of the line counts.
type WaitingOrderer interface {
	Sparable
	// OrderWaiting puts the jobs that wait into the order in which they stand in the line.
	OrderWaiting(r *Round, waiting []*Entry)
}

func isSparable(stage any, s *policy.Snapshot) bool {
	x, ok := stage.(Sparable)
	return stage == nil || ok && x.IsSparable(s)
}

// planWithoutLine lets run on what runs and starts what waits, where all of it has room and no more of the line counts
// than the order of what waits; nil: the line has to be made.
func (p *Pipeline) planWithoutLine(s *policy.Snapshot) *policy.Plan {
	waiting, ok := p.countWaiting(s)
	if !ok {
		return nil
	}
	starts := make([]*Entry, 0, waiting)
	if waiting > 0 {
		r := newRoundWithoutEntries(s, p.Predict)
		defer s.Scratch.Leave(r.leftovers)
		if waiting > 1 {
			r.addEntries()
		}
		for i := range s.Jobs {
			switch {
			case s.Jobs[i].HoldsGPUs():
			case waiting > 1:
				starts = append(starts, r.Entries[i])
			default:
				starts = append(starts, &Entry{Job: &s.Jobs[i], round: r})
			}
		}
		if !p.placeWaiting(r, starts) {
			return nil
		}
	}
	return p.planToStart(s, starts)
}

// countWaiting counts the jobs that wait; ok is false where more than room may count.
func (p *Pipeline) countWaiting(s *policy.Snapshot) (waiting int, ok bool) {
	isAsked := p.Admit != nil || p.Share != nil || p.Size != nil || p.Allocate != nil || p.Place != nil
	if isAsked || !s.OmitRanks || !s.OmitReasons {
		return 0, false
	}
	_, ordersMany := p.Order.(WaitingOrderer)
	ordersMany = ordersMany && s.RecallWithin == 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.HoldsGPUs() {
			ordersMany = ordersMany && len(j.On) > 0 && j.On[0].Devices == 0 // there are leases for all if none share
			continue
		}
		if waiting++; waiting > 1 && !ordersMany || !j.CanStart(s.Now) || j.UnplaceableReason != "" {
			return waiting, false
		}
	}
	ok = (waiting < 2 || ordersMany) && isSparable(p.Order, s) && isSparable(p.Lease, s)
	return waiting, ok
}

// placeWaiting finds places for the jobs that wait. It reports whether all have one.
func (p *Pipeline) placeWaiting(r *Round, waiting []*Entry) bool {
	devices, hasTypes := 0, len(r.FreePool.WholeGPUTypes()) > 1
	for _, e := range waiting {
		e.WantedDeviceCount = e.DeviceCount()
		devices += e.WantedDeviceCount
		hasTypes = hasTypes && (len(waiting) > 1 || e.Ask.GPUs.Type == "")
	}
	if hasTypes || r.FreePool.CountWindowsReached(0) > 0 || devices > r.FreePool.TotalFree("") {
		return false
	}
	if len(waiting) > 1 {
		waiting = slices.Clone(waiting)
		p.Order.(WaitingOrderer).OrderWaiting(r, waiting)
		waiting = r.moveOverdueFirst(p.Rules, waiting)
	}
	for _, e := range waiting {
		a, err := e.GangAsk(), error(nil)
		if e.PlannedAlloc, err = pool.Fit(r.FreePool, e.Partition, a); err != nil {
			return false
		}
		r.FreePool.Overdraw(e.PlannedAlloc, a.CPUs, a.MemMB)
	}
	return true
}

// planToStart keeps what runs and starts the others, which come in the order of the snapshot, where they are planned.
func (p *Pipeline) planToStart(s *policy.Snapshot, starts []*Entry) *policy.Plan {
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: p.Name, Decisions: s.Scratch.NewDecisions(len(s.Jobs))}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		plan.Decisions = append(plan.Decisions, policy.Decision{Job: j.ID, Verb: policy.Keep, Rank: i + 1, On: j.On})
		d := &plan.Decisions[i]
		if !j.HoldsGPUs() {
			d.Verb, d.On, starts = policy.Start, starts[0].PlannedAlloc, starts[1:]
		}
		if d.GPUs = j.On.Count(); d.GPUs == 0 {
			d.GPUs = j.Ask.GPUs.Count
		}
	}
	return plan
}
