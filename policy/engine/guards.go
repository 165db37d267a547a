package engine

import (
	"fmt"
	"slices"

	"fairbridge/policy"
)

// queueDemand is what a job queues for. A job of any GPU type queues for every type of
// its partition.
type queueDemand struct{ partition, gpuType string }

func (e *Entry) demand() queueDemand { return queueDemand{e.Partition, e.Ask.GPUs.Type} }

func (d queueDemand) overlaps(o queueDemand) bool {
	return d.partition == o.partition && (d.gpuType == o.gpuType || d.gpuType == "" || o.gpuType == "")
}

// turnGuard protects the turn of a blocked job.
type turnGuard struct {
	queueDemand
	blockedJob  *Entry
	blockReason string                           // it is blocked
	checkPass   func(*Entry, policy.Alloc) error // to another job on devices; nil: no job may pass
}

// turnGuards protect the turns of blocked jobs against the jobs behind them.
type turnGuards struct {
	*Round
	pipeline *Pipeline
	list     []turnGuard
	sizes    sizeTurns
}

// add protects the job, where it is the first blocked one with its demand.
func (g *turnGuards) add(e *Entry, why string) {
	if slices.ContainsFunc(g.list, func(o turnGuard) bool { return o.queueDemand == e.demand() }) {
		return
	}
	p := g.pipeline
	if p.Backfill == nil {
		g.list = append(g.list, turnGuard{e.demand(), e, why, nil})
		return
	}
	if _, some := p.Backfill.(Reserver); !some || p.reservesSelectivelyFor(g.Round, e) {
		g.list = append(g.list, turnGuard{e.demand(), e, why, p.Backfill.NewPassCheck(g.Round, e)})
	}
	if e.verdict.isOverdue {
		reserved := Reserve(g.Round, e, p.Rules.ReservationRunLength(g.Round, e))
		g.list = append(g.list, turnGuard{e.demand(), e, why, reserved.CheckPass})
	}
}

// areBefore reports whether the turn of a job is guarded that shares GPUs with this one.
func (g *turnGuards) areBefore(e *Entry) bool {
	return slices.ContainsFunc(g.list, func(o turnGuard) bool { return o.overlaps(e.demand()) })
}

// strictGuard returns the guard that no job with such a demand may pass; nil: there is
// none.
func (g *turnGuards) strictGuard(e *Entry) *turnGuard {
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
func (g *turnGuards) findObjection(e *Entry, on policy.Alloc) error {
	for i := range g.list {
		if g.list[i].checkPass == nil {
			continue // strict: such jobs were turned away before
		}
		if err := g.list[i].checkPass(e, on); err != nil {
			return err
		}
	}
	return g.sizes.findObjection(e, on)
}

// String says whose turn it is.
func (g *turnGuard) String() string {
	return fmt.Sprintf("job %s is ahead, blocked, and may not be passed: it %s", g.blockedJob.Label(), g.blockReason)
}
