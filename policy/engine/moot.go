package engine

import (
	"fairbridge/policy"
)

// A Sparable stage need not be asked in every round. Where neither ranks nor reasons will be read, and the one
// job that waits, if any does, has room, the line decides nothing else: a Pipeline then asks neither Orderer nor
// Leaser, if both say so.
type Sparable interface {
	// IsSparable reports whether the stage remembers nothing of the round, and lets what runs run on where it is
	// as long as no job needs its devices.
	IsSparable(*policy.Snapshot) bool
}

func isSparable(stage any, s *policy.Snapshot) bool {
	x, ok := stage.(Sparable)
	return stage == nil || ok && x.IsSparable(s)
}

// sparesLine reports whether the line is moot where so few jobs wait as do, and have room.
func (p *Pipeline) sparesLine(s *policy.Snapshot) (waiting int, ok bool) {
	if !s.OmitRanks || !s.OmitReasons || p.Admit != nil || p.Share != nil || p.Size != nil || p.Allocate != nil {
		return 0, false
	}
	for i := range s.Jobs {
		if !s.Jobs[i].HoldsGPUs() {
			if waiting++; waiting > 1 {
				return waiting, false
			}
		}
	}
	return waiting, isSparable(p.Order, s) && isSparable(p.Lease, s)
}

// planToKeepAll lets every job run on, where all do.
func planToKeepAll(name string, s *policy.Snapshot) *policy.Plan {
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: name, Decisions: s.Scratch.NewDecisions(len(s.Jobs))}
	for i := range s.Jobs {
		e := Entry{Job: &s.Jobs[i]}
		d := policy.Decision{Job: e.ID, Verb: policy.Keep, Rank: i + 1, On: e.On, GPUs: e.DeviceCount()}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan
}

// waitingHasRoom reports whether the job that waits has a place, whatever the Placer likes.
func (p *Pipeline) waitingHasRoom(r *Round) bool {
	for _, e := range r.Entries {
		if e.WantedDeviceCount = e.DeviceCount(); !e.HoldsGPUs() {
			placer, ok := p.Place.(FallbackPlacer)
			isPlaced := p.Place == nil || ok && placer.TakesAnyRoom()
			if !isPlaced || !r.FreePool.Fits(e.Partition, e.GangAsk()) {
				return false
			}
		}
	}
	return true
}
