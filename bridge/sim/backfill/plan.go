// Package backfill plans ahead as Slurm's conservative backfill does: it knows
// what is free when, if every running job uses its limit, finds the earliest
// place for one task after the other, and lets later ones plan around it.
package backfill

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"fairbridge/bridge/sim/inventory"
)

// Plan is what one pass knows of times to come. A Plan can be laid again and
// again, which saves memory; the zero value is ready for it.
type Plan struct {
	now              int64
	horizon          int64           // how far it looks
	nodeTimelines    []timeline      // by node index
	releasesByNode   [][]slotRelease // by node index, while they are laid out
	releaseTimes     []int64         // moments at which something gets free, ascending
	totalTimeline    timeline        // GPUs of all nodes; empty: not needed yet
	classByKey       map[taskKey]*taskClass
	candidatesByKey  map[filterKey]*candidateNodes
	startRangeBuffer []startRange // scratch
	nodeChangeBuffer []nodeChange // scratch
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

// BeginPass begins a pass at a moment that looks ahead as far as window. Nodes are all
// of the cluster, by index; held is what every running job has, and until when.
func (p *Plan) BeginPass(now time.Time, window time.Duration, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []BlockedPeriod) {
	p.now, p.horizon = now.UnixNano(), now.Add(window).UnixNano()
	p.releaseTimes, p.totalTimeline = append(p.releaseTimes[:0], p.now), p.totalTimeline[:0]
	p.classByKey, p.candidatesByKey = map[taskKey]*taskClass{}, map[filterKey]*candidateNodes{}
	if p.nodeTimelines == nil {
		p.nodeTimelines, p.releasesByNode = make([]timeline, len(nodes)), make([][]slotRelease, len(nodes))
	}
	for slots, until := range held {
		end := until.UnixNano()
		p.releaseTimes = append(p.releaseTimes, end)
		for k := range slots {
			s := &slots[k]
			p.releasesByNode[s.Node.Index] = append(p.releasesByNode[s.Node.Index], slotRelease{end, s})
		}
	}
	for i, n := range nodes {
		p.nodeTimelines[i] = p.nodeTimelines[i].rebuild(p.now, n.FreeResources(), p.releasesByNode[i])
		p.releasesByNode[i] = p.releasesByNode[i][:0]
	}
	for i := range closed {
		p.blockNodes(&closed[i])
	}
	slices.Sort(p.releaseTimes)
	p.releaseTimes = slices.Compact(p.releaseTimes)
}

// blockNodes takes nodes that are set aside out of the plan.
func (p *Plan) blockNodes(c *BlockedPeriod) {
	from, to := max(c.From.UnixNano(), p.now), int64(neverNanos)
	if !c.To.IsZero() {
		to = c.To.UnixNano()
		p.releaseTimes = append(p.releaseTimes, to)
	}
	for _, n := range c.Nodes {
		if to > from {
			p.nodeTimelines[n.Index].blockPeriod(from, to)
		}
	}
}

// ReservePlace finds the earliest moment at which the task fits for its whole limit
// and takes the place: later tasks must plan around it. No slots: there is no
// place as far as the plan looks.
func (p *Plan) ReservePlace(t Task) (inventory.Slots, time.Time) {
	k := p.findTaskClass(&t)
	if !k.hasRequired || len(k.nodes) == 0 || k.notBeforeNanos > p.horizon {
		return nil, time.Time{}
	}
	at, slots := p.earliestPlace(k)
	k.notBeforeNanos = at
	if slots == nil {
		return nil, time.Time{}
	}
	if at > p.now {
		p.reserveNodes(slots, at, at+k.lengthNanos)
	} else {
		p.occupySlots(slots, at, at+k.lengthNanos)
	}
	return slots, time.Unix(0, at).UTC()
}

// reserveNodes takes the nodes of the slots out of the plan: Slurm's backfill keeps whole nodes
// for a job that is to start later, however little of them it asks for.
func (p *Plan) reserveNodes(slots inventory.Slots, from, to int64) {
	for i := range slots {
		p.nodeTimelines[slots[i].Node.Index].blockPeriod(from, to)
	}
	p.totalTimeline = p.totalTimeline[:0]
	p.noteRelease(to)
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
		at = &candidateNodes{}
		at.nodes, at.hasRequired = t.Partition.CandidateNodes(t.NodeFilter)
		p.candidatesByKey[key.filterKey] = at
	}
	k = &taskClass{Request: key.Request, candidateNodes: at, lengthNanos: int64(key.timeLimit), notBeforeNanos: p.now}
	p.classByKey[key] = k
	return k
}

// occupySlots takes the slots out of the plan.
func (p *Plan) occupySlots(slots inventory.Slots, from, to int64) {
	for i := range slots {
		s := &slots[i]
		p.nodeTimelines[s.Node.Index].occupySlot(s, from, to)
		if len(p.totalTimeline) > 0 && s.TypeIndex >= 0 {
			p.totalTimeline.occupySlot(&inventory.Slot{GPUs: s.GPUs}, from, to)
		}
	}
	p.noteRelease(to)
}

// noteRelease notes that something gets free at a moment.
func (p *Plan) noteRelease(at int64) {
	if i, ok := slices.BinarySearch(p.releaseTimes, at); !ok {
		p.releaseTimes = slices.Insert(p.releaseTimes, i, at)
	}
}
