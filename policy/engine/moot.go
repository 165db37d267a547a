package engine

import (
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

func isSparable(stage any, s *policy.Snapshot) bool {
	x, ok := stage.(Sparable)
	return stage == nil || ok && x.IsSparable(s)
}

// planWithoutLine makes the plan where its line would be moot: what runs, runs on, and the one job that waits, if any does,
// starts. nil: the line has to be made.
func (p *Pipeline) planWithoutLine(s *policy.Snapshot) *policy.Plan {
	if !s.OmitRanks || !s.OmitReasons || p.Admit != nil || p.Share != nil || p.Size != nil || p.Allocate != nil || p.Place != nil {
		return nil
	}
	waiting := -1
	for i := range s.Jobs {
		if s.Jobs[i].HoldsGPUs() {
			continue
		}
		if waiting >= 0 {
			return nil
		}
		waiting = i
	}
	if !isSparable(p.Order, s) || !isSparable(p.Lease, s) {
		return nil
	}
	var on policy.Alloc
	if waiting >= 0 {
		if on = placeOnly(s, &s.Jobs[waiting]); on == nil {
			return nil
		}
	}
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: p.Name, Decisions: s.Scratch.NewDecisions(len(s.Jobs))}
	for i := range s.Jobs {
		e := Entry{Job: &s.Jobs[i]}
		d := policy.Decision{Job: e.ID, Verb: policy.Keep, Rank: i + 1, On: e.On, GPUs: e.DeviceCount()}
		if i == waiting {
			d.Verb, d.On = policy.Start, on
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan
}

// placeOnly finds a place for the only job that waits; nil: it has none, or other things than room count.
func placeOnly(s *policy.Snapshot, j *policy.Job) policy.Alloc {
	if !j.CanStart(s.Now) || j.UnplaceableReason != "" {
		return nil
	}
	l := policy.TakeLeft[leftovers](s.Scratch)
	if l == nil {
		l = &leftovers{}
	}
	free := l.freePool.Renew(s)
	s.Scratch.Leave(l)
	if free.CountWindowsReached(0) > 0 || j.Ask.GPUs.Type == "" && len(free.WholeGPUTypes()) > 1 {
		return nil
	}
	e := Entry{Job: j}
	e.WantedDeviceCount = e.DeviceCount()
	on, _ := pool.Fit(free, j.Partition, e.GangAsk()) // nil on errors
	return on
}
