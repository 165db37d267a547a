// Package backfill plans ahead as Slurm's backfill does. A job that waits finds its start by
// letting the running jobs end at their limits, some at a time, and keeps whole nodes from the
// jobs after it: conservative backfill, with slurmctld's roundings.
package backfill

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"fairbridge/replica/sim/inventory"
)

// Plan is what one pass knows of times to come. A Plan can be laid again and
// again, which saves memory; the zero value is ready for it.
type Plan struct {
	now, horizon    int64                     // nanoseconds since 1970, as all times here; horizon: how far it looks
	resolution      int64                     // what is kept for a job begins and ends at full ones
	free            []inventory.FreeResources // by node index, now
	future          []inventory.FreeResources // by node index, while jobs are thought to end
	fits            []bool                    // by node index: the task's share fits into future
	releases        []slotRelease             // of running jobs, by time
	periods         []period                  // of which each begins where the one before ends
	classByKey      map[taskKey]*taskClass
	candidatesByKey map[filterKey]*candidateNodes
	open            nodeSet           // scratch
	openNodes       []*inventory.Node // scratch
}

// slotRelease is the end of a running job: slots that get free.
type slotRelease struct {
	at    int64
	slots inventory.Slots
}

// BlockedPeriod is a time in which nothing may run on some nodes.
type BlockedPeriod struct {
	Nodes    []*inventory.Node
	From, To time.Time // To zero: without end
}

// Task is one task to be planned. Tasks that are equal in everything are of one
// class: the second cannot start before the first.
type Task struct {
	inventory.Request
	inventory.NodeFilter
	Partition *inventory.Partition
	TimeLimit time.Duration
}

// filterKey is what the nodes a task may use depend on.
type filterKey struct {
	partition  *inventory.Partition
	filterText string // of the choice; "": any node
}

// candidateNodes are the nodes some tasks may use.
type candidateNodes struct {
	nodes       []*inventory.Node
	set         nodeSet
	hasRequired bool // those that are required can be used
}

// taskKey is what makes two tasks the same.
type taskKey struct {
	inventory.Request
	filterKey
	timeLimit time.Duration
}

// taskClass is what is known of the tasks of one key in one pass.
type taskClass struct {
	inventory.Request
	*candidateNodes
	lengthNanos    int64
	notBeforeNanos int64 // no place was found before
}

// Lookahead is how far a pass looks ahead (bf_window), and how finely (bf_resolution).
type Lookahead struct{ Window, Resolution time.Duration }

// BeginPass begins a pass at a moment that looks ahead as far as it is told. Nodes are all
// of the cluster, by index; held is what every running job has, and until when.
func (p *Plan) BeginPass(now time.Time, ahead Lookahead, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []BlockedPeriod) {
	p.now, p.horizon, p.resolution = now.UnixNano(), now.Add(ahead.Window).UnixNano(), int64(ahead.Resolution)
	p.classByKey, p.candidatesByKey = map[taskKey]*taskClass{}, map[filterKey]*candidateNodes{}
	p.free, p.releases, p.periods = p.free[:0], p.releases[:0], p.periods[:0]
	p.future, p.fits = slices.Grow(p.future[:0], len(nodes))[:len(nodes)], slices.Grow(p.fits[:0], len(nodes))[:len(nodes)]
	every := newNodeSet(len(nodes))
	for i, n := range nodes {
		p.free = append(p.free, n.FreeResources())
		every.add(i)
	}
	p.open = newNodeSet(len(nodes))
	p.periods = append(p.periods, period{p.roundDown(p.now), neverNanos, every})
	for slots, until := range held {
		p.releases = append(p.releases, slotRelease{until.UnixNano(), slots})
	}
	slices.SortStableFunc(p.releases, func(a, b slotRelease) int { return cmp.Compare(a.at, b.at) })
	for _, c := range closed {
		to := int64(neverNanos)
		if !c.To.IsZero() {
			to = c.To.UnixNano()
		}
		p.closeNodes(slices.Values(c.Nodes), c.From.UnixNano(), to)
	}
}

// ReservePlace finds the earliest moment at which the task fits for its whole limit, as
// slurmctld finds it, and takes the place: later tasks must plan around it. No slots: there is
// no place as far as the plan looks.
func (p *Plan) ReservePlace(t Task) (inventory.Slots, time.Time) {
	k := p.findTaskClass(&t)
	if !k.hasRequired || len(k.nodes) == 0 {
		return nil, time.Time{}
	}
	for k.notBeforeNanos < neverNanos {
		from := k.notBeforeNanos
		later := p.findOpenNodes(k, from)
		at, slots := p.findStart(k)
		at = max(at, from)
		switch {
		case slots == nil, later > 0 && at > later:
			k.notBeforeNanos = later
			if later == 0 {
				k.notBeforeNanos = neverNanos
			}
		case at <= p.now:
			p.occupySlots(slots, at+k.lengthNanos)
			return slots, time.Unix(0, p.now).UTC()
		case at > p.horizon:
			k.notBeforeNanos = neverNanos
		case p.isClosedFor(slots, p.roundDown(at), p.roundDown(at+k.lengthNanos)):
			k.notBeforeNanos = at
			if at == from {
				k.notBeforeNanos = neverNanos
			}
		default:
			p.closeNodes(listNodes(slots), p.roundDown(at), max(p.roundDown(at+k.lengthNanos), p.roundDown(at)+p.resolution))
			return slots, time.Unix(0, at).UTC()
		}
	}
	return nil, time.Time{}
}

// findTaskClass returns what is known of the tasks like this one.
func (p *Plan) findTaskClass(t *Task) *taskClass {
	key := taskKey{Request: t.Request, timeLimit: t.TimeLimit, filterKey: filterKey{partition: t.Partition}}
	if t.Features != "" || len(t.RequiredNodes) > 0 || len(t.ExcludedNodes) > 0 {
		key.filterText = fmt.Sprint(t.Features, t.RequiredNodes, t.ExcludedNodes)
	}
	k := p.classByKey[key]
	if k != nil {
		return k
	}
	at := p.candidatesByKey[key.filterKey]
	if at == nil {
		at = &candidateNodes{set: newNodeSet(len(p.free))}
		at.nodes, at.hasRequired = t.Partition.CandidateNodes(t.NodeFilter)
		for _, n := range at.nodes {
			at.set.add(n.Index)
		}
		p.candidatesByKey[key.filterKey] = at
	}
	k = &taskClass{Request: key.Request, candidateNodes: at, lengthNanos: int64(key.timeLimit), notBeforeNanos: p.now}
	p.classByKey[key] = k
	return k
}

// occupySlots takes slots from now to a moment: the job runs.
func (p *Plan) occupySlots(slots inventory.Slots, to int64) {
	for i := range slots {
		takeSlot(&p.free[slots[i].Node.Index], &slots[i], 1)
	}
	i, _ := slices.BinarySearchFunc(p.releases, to+1, func(r slotRelease, at int64) int { return cmp.Compare(r.at, at) })
	p.releases = slices.Insert(p.releases, i, slotRelease{to, slots})
}

// takeSlot takes a slot (count 1) or gives it back (count -1).
func takeSlot(r *inventory.FreeResources, s *inventory.Slot, count int) {
	if s.TypeIndex >= 0 {
		r.GPUsByType[s.TypeIndex] -= count * s.GPUs
	}
	if count < 0 && s.TypeIndex >= 0 { // of which GPU is not looked at: all of one that was given out, or what the job had
		r.ShardsByType[s.TypeIndex] = max(r.ShardsByType[s.TypeIndex], s.Shards, min(s.GPUs, 1)*s.Node.ShardsPerGPU)
	}
	r.CPUs -= count * s.CPUs
	r.MemMB -= int64(count) * s.MemMB
	r.JobCount += count
}

// listNodes goes through the nodes of slots.
func listNodes(slots inventory.Slots) iter.Seq[*inventory.Node] {
	return func(yield func(*inventory.Node) bool) {
		for i := range slots {
			if !yield(slots[i].Node) {
				return
			}
		}
	}
}
