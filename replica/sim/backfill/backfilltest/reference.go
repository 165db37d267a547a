// Package backfilltest is a second, plain way to plan what package backfill
// plans, for tests to compare it with.
package backfilltest

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"fairbridge/replica/sim/backfill"
	"fairbridge/replica/sim/inventory"
)

// runningJob is what a job has, and until when.
type runningJob struct {
	slots inventory.Slots
	until time.Time
}

// keptNodes are kept for a job that is to start, or from all jobs, for a time.
type keptNodes struct {
	nodes    []*inventory.Node
	from, to time.Time
}

// ReferencePlan is backfill as plainly as it can be said: everything is worked out anew for every
// question. What plans fast must plan the same.
type ReferencePlan struct {
	now, horizon    time.Time
	resolution      time.Duration
	free            []inventory.FreeResources // by node index
	running         []runningJob              // by end
	kept            []keptNodes
	notBeforeByTask map[taskKey]time.Time
}

// taskKey is what makes two jobs the same to backfill: the second cannot start
// before the first.
type taskKey struct {
	inventory.Request
	timeLimit  time.Duration
	partition  *inventory.Partition
	filterText string // features and excluded nodes
}

// never is later than any moment.
var never = time.Unix(0, 1<<63-1)

// BeginPass lays out what is free, and what is closed to all jobs.
func (f *ReferencePlan) BeginPass(now time.Time, ahead backfill.Lookahead, nodes []*inventory.Node,
	held iter.Seq2[inventory.Slots, time.Time], closed []backfill.BlockedPeriod) {
	*f = ReferencePlan{now: now, horizon: now.Add(ahead.Window), resolution: ahead.Resolution, notBeforeByTask: map[taskKey]time.Time{}}
	for _, n := range nodes {
		f.free = append(f.free, n.FreeResources())
	}
	for slots, until := range held {
		f.running = append(f.running, runningJob{slots, until})
	}
	slices.SortStableFunc(f.running, func(a, b runningJob) int { return a.until.Compare(b.until) })
	for _, c := range closed {
		to := c.To
		if to.IsZero() {
			to = never
		}
		f.keep(c.Nodes, c.From, to)
	}
}

func (f *ReferencePlan) keep(nodes []*inventory.Node, from, to time.Time) {
	if first := f.now.Truncate(f.resolution); from.Before(first) {
		from = first
	}
	if to.After(from) {
		f.kept = append(f.kept, keptNodes{nodes, from, to})
	}
}

// ReservePlace tries one moment after the other at which more nodes are open.
func (f *ReferencePlan) ReservePlace(t backfill.Task) (inventory.Slots, time.Time) {
	list, ok := t.Partition.CandidateNodes(t.NodeFilter)
	key := taskKey{t.Request, t.TimeLimit, t.Partition, fmt.Sprint(t.Features, t.RequiredNodes, t.ExcludedNodes)}
	from, tried := f.notBeforeByTask[key]
	if !tried {
		from = f.now
	}
	for ok && from.Before(never) {
		f.notBeforeByTask[key] = from
		open, later := f.listOpenNodes(list, from, from.Add(t.TimeLimit))
		at, slots := f.findStart(t, list, open)
		if at.Before(from) {
			at = from
		}
		start, end := at.Truncate(f.resolution), at.Add(t.TimeLimit).Truncate(f.resolution)
		if end.Before(start.Add(f.resolution)) {
			end = start.Add(f.resolution)
		}
		switch {
		case slots == nil, at.After(later):
			from = later
		case !at.After(f.now):
			f.occupySlots(slots, at.Add(t.TimeLimit))
			return slots, f.now
		case at.After(f.horizon):
			from = never
		case f.isKept(slots, start, at.Add(t.TimeLimit).Truncate(f.resolution)):
			if !at.After(from) {
				at = never
			}
			from = at
		default:
			f.keep(listNodes(slots), start, end)
			return slots, at
		}
	}
	f.notBeforeByTask[key] = never
	return nil, time.Time{}
}

func listNodes(slots inventory.Slots) (out []*inventory.Node) {
	for _, s := range slots {
		out = append(out, s.Node)
	}
	return out
}

func (f *ReferencePlan) occupySlots(slots inventory.Slots, until time.Time) {
	for _, s := range slots {
		f.free[s.Node.Index] = with(f.free[s.Node.Index], s, 1)
	}
	f.running = append(f.running, runningJob{slots, until})
	slices.SortStableFunc(f.running, func(a, b runningJob) int { return a.until.Compare(b.until) })
}

// with returns a room in which a slot is taken so many times more.
func with(r inventory.FreeResources, s inventory.Slot, count int) inventory.FreeResources {
	if s.TypeIndex >= 0 {
		r.GPUsByType[s.TypeIndex] -= count * s.GPUs
	}
	r.CPUs -= count * s.CPUs
	r.MemMB -= int64(count) * s.MemMB
	r.JobCount += count
	return r
}

// isOpenAt reports whether a node is kept for nothing at a moment.
func (f *ReferencePlan) isOpenAt(n *inventory.Node, at time.Time) bool {
	return !slices.ContainsFunc(f.kept, func(k keptNodes) bool {
		return slices.Contains(k.nodes, n) && !at.Before(k.from) && at.Before(k.to)
	})
}

// listChanges lists the moments from which other nodes may be open than before.
func (f *ReferencePlan) listChanges() []time.Time {
	out := []time.Time{f.now.Truncate(f.resolution)}
	for _, k := range f.kept {
		out = append(out, k.from)
		if k.to.Before(never) {
			out = append(out, k.to)
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return slices.CompactFunc(out, time.Time.Equal)
}

// listOpenNodes lists the nodes open from a moment to another, and says when there are more.
func (f *ReferencePlan) listOpenNodes(list []*inventory.Node, from, to time.Time) (open []*inventory.Node, later time.Time) {
	open, later = slices.Clone(list), never
	changes := f.listChanges()
	for i, begin := range changes {
		isLast := i+1 == len(changes)
		if !isLast && !changes[i+1].After(from) {
			continue
		}
		still := slices.DeleteFunc(slices.Clone(open), func(n *inventory.Node) bool { return !f.isOpenAt(n, begin) })
		if !isLast && later.Equal(never) && slices.ContainsFunc(list, func(n *inventory.Node) bool {
			return f.isOpenAt(n, changes[i+1]) && !slices.Contains(still, n)
		}) {
			later = changes[i+1]
		}
		if begin.After(to) {
			break
		}
		open = still
	}
	return open, later
}

// isKept reports whether a slot's node is kept for something between two moments.
func (f *ReferencePlan) isKept(slots inventory.Slots, from, to time.Time) bool {
	return slices.ContainsFunc(f.kept, func(k keptNodes) bool {
		return k.from.Before(to) && k.to.After(from) && slices.ContainsFunc(slots, func(s inventory.Slot) bool { return slices.Contains(k.nodes, s.Node) })
	})
}

// findStart lets ever more of the running jobs end until the task has a place.
func (f *ReferencePlan) findStart(t backfill.Task, list, open []*inventory.Node) (time.Time, inventory.Slots) {
	for _, n := range list[:min(t.NamedNodeCount, len(list))] {
		if !slices.Contains(open, n) {
			return never, nil
		}
	}
	at, barrier, window := f.now, time.Time{}, 30*time.Second
	for i := 0; len(open) > 0; {
		if slots := t.FindSlots(open, f.freeAfter(i)); slots != nil {
			return at, slots
		}
		found, isEnough := false, false
		for ; i < len(f.running) && !isEnough; i++ {
			r := f.running[i]
			if !slices.ContainsFunc(r.slots, func(s inventory.Slot) bool { return slices.Contains(open, s.Node) }) {
				continue
			}
			if barrier.IsZero() {
				barrier = r.until.Add(window - time.Duration(r.until.UnixNano()%int64(window)))
			}
			at, found = r.until, true
			isEnough = i+1 < len(f.running) && f.running[i+1].until.After(barrier.Add(window))
		}
		if !found {
			break
		}
		for window *= 2; i < len(f.running) && f.running[i].until.After(barrier.Add(window)); {
			window *= 2
		}
	}
	return never, nil
}

// freeAfter is what is free when so many of the running jobs have ended.
func (f *ReferencePlan) freeAfter(jobs int) func(*inventory.Node) inventory.FreeResources {
	return func(n *inventory.Node) inventory.FreeResources {
		r := f.free[n.Index]
		for _, j := range f.running[:jobs] {
			for _, s := range j.slots {
				if s.Node == n {
					r = with(r, s, -1)
				}
			}
		}
		return r
	}
}
