// Package backfilltest is a second, plain way to plan what package backfill
// plans, for tests to compare it with.
package backfilltest

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"fairbridge/bridge/sim/backfill"
	"fairbridge/bridge/sim/inventory"
)

// timelinePoint is what is free on a node from a moment on.
type timelinePoint struct {
	at time.Time
	inventory.FreeResources
}

// timeline is a node's future.
type timeline []timelinePoint

// leastFree returns the room that lasts from one moment to another.
func (t timeline) leastFree(from, to time.Time) inventory.FreeResources {
	var r inventory.FreeResources
	first := true
	for i, p := range t {
		if !p.at.Before(to) {
			break
		}
		if i+1 < len(t) && !t[i+1].at.After(from) {
			continue
		}
		if first {
			r, first = p.FreeResources, false
			continue
		}
		for k := range r.GPUsByType {
			r.GPUsByType[k] = min(r.GPUsByType[k], p.GPUsByType[k])
		}
		r.CPUs, r.MemMB, r.JobCount = min(r.CPUs, p.CPUs), min(r.MemMB, p.MemMB), max(r.JobCount, p.JobCount)
	}
	return r
}

// unlimitedTime is the limit of a job without one.
const unlimitedTime = 365 * 24 * time.Hour

// applySlot adds (sign 1) or takes (sign -1) a slot between two moments.
func (t *timeline) applySlot(s inventory.Slot, sign int, from, to time.Time) {
	t.splitAt(from)
	t.splitAt(to)
	for i := range *t {
		p := &(*t)[i]
		if p.at.Before(from) || !p.at.Before(to) {
			continue
		}
		if s.TypeIndex >= 0 {
			p.GPUsByType[s.TypeIndex] += sign * s.GPUs
		}
		p.CPUs += sign * s.CPUs
		p.MemMB += int64(sign) * s.MemMB
		p.JobCount -= sign
	}
}

func (t *timeline) splitAt(at time.Time) {
	for i, p := range *t {
		if p.at.Equal(at) || i == 0 && at.Before(p.at) {
			return
		}
		if p.at.After(at) {
			*t = slices.Insert(*t, i, timelinePoint{at, (*t)[i-1].FreeResources})
			return
		}
	}
	*t = append(*t, timelinePoint{at, (*t)[len(*t)-1].FreeResources})
}

// ReferencePlan is backfill as plainly as it can be said: every task tries every
// moment, and every moment every node. What plans fast must plan the same.
type ReferencePlan struct {
	now, horizon   time.Time
	nodeTimelines  []timeline  // by node index
	releaseTimes   []time.Time // moments at which something gets free, ascending
	nextTimeByTask map[taskKey]int
}

// taskKey is what makes two jobs the same to backfill: the second cannot start
// before the first.
type taskKey struct {
	inventory.Request
	timeLimit  time.Duration
	partition  *inventory.Partition
	filterText string // features and excluded nodes
}

// BeginPass lays out what is free when, if every running job uses its limit.
func (f *ReferencePlan) BeginPass(now time.Time, window time.Duration, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []backfill.BlockedPeriod) {
	*f = ReferencePlan{now: now, horizon: now.Add(window), nodeTimelines: make([]timeline, len(nodes)), releaseTimes: []time.Time{now}, nextTimeByTask: map[taskKey]int{}}
	for _, n := range nodes {
		f.nodeTimelines[n.Index] = timeline{{now, n.FreeResources()}}
	}
	for slots, until := range held {
		f.releaseTimes = append(f.releaseTimes, until)
		for _, s := range slots {
			f.nodeTimelines[s.Node.Index].applySlot(s, 1, until, now.Add(2*unlimitedTime))
		}
	}
	for _, c := range closed {
		f.blockNodes(c)
	}
	slices.SortFunc(f.releaseTimes, time.Time.Compare)
	f.releaseTimes = slices.CompactFunc(f.releaseTimes, time.Time.Equal)
}

// blockNodes leaves nothing of the nodes while they are set aside.
func (f *ReferencePlan) blockNodes(c backfill.BlockedPeriod) {
	from, to := c.From, c.To
	if from.Before(f.now) {
		from = f.now
	}
	if to.IsZero() {
		to = f.now.Add(4 * unlimitedTime)
	} else {
		f.releaseTimes = append(f.releaseTimes, to)
	}
	for _, n := range c.Nodes {
		if !to.After(from) {
			continue
		}
		f.nodeTimelines[n.Index].block(from, to)
	}
}

// block leaves nothing between two moments.
func (t *timeline) block(from, to time.Time) {
	t.splitAt(from)
	t.splitAt(to)
	for i := range *t {
		if p := &(*t)[i]; !p.at.Before(from) && p.at.Before(to) {
			p.FreeResources = inventory.FreeResources{JobCount: 1}
		}
	}
}

// ReservePlace finds the earliest moment at which the task fits for its whole limit
// and takes the place.
func (f *ReferencePlan) ReservePlace(t backfill.Task) (inventory.Slots, time.Time) {
	list, ok := t.Partition.CandidateNodes(t.NodeFilter)
	if !ok || len(list) == 0 {
		return nil, time.Time{}
	}
	var at time.Time
	free := func(n *inventory.Node) inventory.FreeResources {
		return f.nodeTimelines[n.Index].leastFree(at, at.Add(t.TimeLimit))
	}
	key := taskKey{t.Request, t.TimeLimit, t.Partition, fmt.Sprint(t.Features, t.RequiredNodes, t.ExcludedNodes)}
	for i := f.nextTimeByTask[key]; i < len(f.releaseTimes) && !f.releaseTimes[i].After(f.horizon); i++ {
		at = f.releaseTimes[i]
		slots := t.FindSlots(list, free)
		if slots == nil {
			f.nextTimeByTask[key] = i + 1
			continue
		}
		if at.After(f.now) {
			f.reserveNodes(slots, at, at.Add(t.TimeLimit))
			return slots, at
		}
		f.occupySlots(slots, at, at.Add(t.TimeLimit))
		return slots, at
	}
	f.nextTimeByTask[key] = len(f.releaseTimes)
	return nil, time.Time{}
}

// reserveNodes keeps whole nodes for what starts later.
func (f *ReferencePlan) reserveNodes(slots inventory.Slots, from, to time.Time) {
	for _, s := range slots {
		f.nodeTimelines[s.Node.Index].block(from, to)
	}
	f.noteRelease(to)
}

// occupySlots takes the slots out of the Reference.
func (f *ReferencePlan) occupySlots(slots inventory.Slots, from, to time.Time) {
	for _, s := range slots {
		f.nodeTimelines[s.Node.Index].applySlot(s, -1, from, to)
	}
	f.noteRelease(to)
}

func (f *ReferencePlan) noteRelease(at time.Time) {
	if i, ok := slices.BinarySearchFunc(f.releaseTimes, at, time.Time.Compare); !ok {
		f.releaseTimes = slices.Insert(f.releaseTimes, i, at)
	}
}
