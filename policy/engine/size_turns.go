package engine

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// mostSizeTurns bounds for how many waiting jobs a place is kept against the sizes of others, and
// how often in a round that is reckoned anew.
const mostSizeTurns = 8

// sizeTurns protect jobs that wait against the sizes that are chosen for others: a job that starts on
// another number of devices than it asks must leave those ahead of it the room that they would have
// without it. Stages that let any job pass a blocked one mean one that runs as its owner asked;
// on half a node it starts sooner, runs for longer, and keeps the node from becoming whole. Ahead are the
// jobs that have been found blocked, and of a fixed size those that arrived before. A job that runs does not
// grow while one of a fixed size, or one found blocked, waits. Where jobs may wait for ever
// (Rules.MaxWait) nothing is protected.
type sizeTurns struct {
	*Round
	rules      Rules
	reserved   []*Reservation
	startCount int // when they were made
	makesLeft  int
}

// findObjection says for whom the devices must be left; nil: the entry may have them.
func (s *sizeTurns) findObjection(e *Entry, on policy.Alloc) error {
	if s.rules.MaxWait < 0 || !e.startsOnOtherSize() && !e.grows() {
		return nil
	}
	if e.HoldsGPUs() {
		return s.growthObjection(e)
	}
	s.reserve()
	for _, v := range s.reserved {
		ahead := v.Entry
		if ahead == e || ahead.verdict.verb == policy.Start || !ahead.isBlocked() && CompareArrival(ahead, e) > 0 {
			continue
		}
		if err := v.CheckPass(e, on); err != nil {
			return fmt.Errorf("on %s, which is not what it asks, it %w", policy.FormatCount(e.WantedDeviceCount, "GPU"), err)
		}
	}
	return nil
}

// growthObjection says for whom a running job stays as it is: a restarted one comes back wherever Slurm
// finds room first, on a node that has just become whole as well.
func (s *sizeTurns) growthObjection(e *Entry) error {
	for _, o := range s.Entries {
		if o.demand().overlaps(e.demand()) && s.isProtected(o) {
			return fmt.Errorf("is not restarted for more GPUs while job %s waits", o.Label())
		}
	}
	return nil
}

// startsOnOtherSize reports whether the entry would start on another number of devices than it asks.
func (e *Entry) startsOnOtherSize() bool {
	return !e.HoldsGPUs() && e.IsElastic() && e.WantedDeviceCount != e.Ask.GPUs.Count
}

// grows reports whether the entry runs and would have more devices.
func (e *Entry) grows() bool {
	return e.HoldsGPUs() && e.IsElastic() && e.WantedDeviceCount > e.On.Count()
}

// isBlocked reports whether its turn in the line came, and it did not start.
func (e *Entry) isBlocked() bool {
	return !e.HoldsGPUs() && (e.verdict.verb == policy.Wait || e.verdict.verb == policy.Hold)
}

// reserve keeps places for those that wait, unless that was done since the last job started. Each place
// is one beside those before.
func (s *sizeTurns) reserve() {
	started := 0
	for _, e := range s.Entries {
		if e.verdict.verb == policy.Start || e.verdict.verb == policy.Resize {
			started++
		}
	}
	if s.makesLeft == 0 || s.makesLeft < mostSizeTurns && s.startCount == started {
		return
	}
	s.makesLeft, s.startCount, s.reserved = s.makesLeft-1, started, nil
	for _, e := range s.listWaiting() {
		s.reserved = append(s.reserved, s.reserveBeside(e))
	}
}

// reserveBeside reserves a place that none of those reserved before has: now, if there is one.
func (s *sizeTurns) reserveBeside(e *Entry) *Reservation {
	v := &Reservation{Entry: e, round: s.Round, runLength: s.rules.ReservationRunLength(s.Round, e), futurePool: s.FreePool.Clone()}
	for _, o := range s.reserved {
		a := o.Entry.GangAsk()
		v.futurePool.Overdraw(o.Alloc, a.CPUs, a.MemMB)
	}
	if on, err := pool.Fit(v.futurePool, e.Partition, e.GangAsk()); err == nil {
		v.IsStartKnown, v.Alloc = true, on
	} else {
		v.awaitRoom()
	}
	return v
}

// listWaiting lists the jobs that places are kept for: those that need most, as they are the hardest to
// find room for, and of them the first to arrive.
func (s *sizeTurns) listWaiting() []*Entry {
	var all []*Entry
	for _, e := range s.Entries {
		if s.isProtected(e) {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *Entry) int {
		return ThenArrival(cmp.Compare(b.WantedDeviceCount, a.WantedDeviceCount), a, b)
	})
	return all[:min(len(all), mostSizeTurns)]
}

// isProtected reports whether the entry waits, could start, and was found blocked or has a fixed size.
func (s *sizeTurns) isProtected(e *Entry) bool {
	undecided := e.verdict.verb == "" && !e.IsElastic()
	return !e.HoldsGPUs() && (undecided || e.isBlocked()) && e.WantedDeviceCount > 0 && s.MayRun(e) && s.CheckEverFits(e) == nil
}

// tryOwnSize starts a job on what it asks that may not start on the size that was chosen for it.
func (w *walk) tryOwnSize(e *Entry) bool {
	if !e.startsOnOtherSize() || w.guards.sizes.rules.MaxWait < 0 || w.pipeline.Admit != nil {
		return false
	}
	wanted, at := e.WantedDeviceCount, e.WantedAlloc
	e.WantedDeviceCount, e.WantedAlloc = e.Ask.GPUs.Count, nil
	if on, err := w.finder.findAndTake(e); err == nil {
		w.start(e, on)
		return true
	}
	e.WantedDeviceCount, e.WantedAlloc = wanted, at
	return false
}
