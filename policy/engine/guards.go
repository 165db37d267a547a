package engine

import (
	"fmt"
	"slices"

	"fairbridge/policy"
)

// demand is what a job queues for. A job of any GPU type queues for every type of
// its partition.
type demand struct{ partition, gpuType string }

func (e *Entry) demand() demand { return demand{e.Partition, e.Ask.GPUs.Type} }

func (d demand) overlaps(o demand) bool {
	return d.partition == o.partition && (d.gpuType == o.gpuType || d.gpuType == "" || o.gpuType == "")
}

// guard protects the turn of a blocked job.
type guard struct {
	demand
	blockedJob *Entry
	blockedWhy string                           // it is blocked
	objectTo   func(*Entry, policy.Alloc) error // to another job on devices; nil: no job may pass
}

// guards protect the turns of blocked jobs against the jobs behind them.
type guards struct {
	*Round
	pipeline *Pipeline
	list     []guard
}

// add protects the job, where it is the first blocked one with its demand.
func (g *guards) add(e *Entry, why string) {
	if slices.ContainsFunc(g.list, func(o guard) bool { return o.demand == e.demand() }) {
		return
	}
	p := g.pipeline
	if p.Backfill == nil {
		g.list = append(g.list, guard{e.demand(), e, why, nil})
		return
	}
	if _, some := p.Backfill.(Reserver); !some || p.reservesOnlyFor(g.Round, e) {
		g.list = append(g.list, guard{e.demand(), e, why, p.Backfill.Behind(g.Round, e)})
	}
	if e.verdict.isOverdue {
		reserved := Reserve(g.Round, e, p.Rules.ReservationLength(g.Round, e))
		g.list = append(g.list, guard{e.demand(), e, why, reserved.CheckPass})
	}
}

// strictGuard returns the guard that no job with such a demand may pass; nil: there is
// none.
func (g *guards) strictGuard(e *Entry) *guard {
	if g.pipeline.Backfill != nil {
		return nil
	}
	for i := range g.list {
		if g.list[i].overlaps(e.demand()) {
			return &g.list[i]
		}
	}
	return nil
}

// findObjection returns the first objection to the job on the devices; nil: it may
// have them.
func (g *guards) findObjection(e *Entry, on policy.Alloc) error {
	for i := range g.list {
		if g.list[i].objectTo == nil {
			continue // strict: such jobs were turned away before
		}
		if err := g.list[i].objectTo(e, on); err != nil {
			return err
		}
	}
	return nil
}

// String says whose turn it is.
func (g *guard) String() string {
	return fmt.Sprintf("job %d is ahead, blocked, and may not be passed: it %s", g.blockedJob.ID, g.blockedWhy)
}
