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
	now         int64
	last        int64           // how far it looks
	nodes       []timeline      // by node index
	releases    [][]slotRelease // by node index, while they are laid out
	times       []int64         // moments at which something gets free, ascending
	total       timeline        // GPUs of all nodes; empty: not needed yet
	classes     map[taskKey]*taskClass
	candidates  map[choiceKey]*candidates
	startRanges []startRange // scratch
	nodeChanges []nodeChange // scratch
}

// Closure is a time in which nothing may run on some nodes.
type Closure struct {
	Nodes    []*inventory.Node
	From, To time.Time // To zero: without end
}

// Task is one task to be planned. Tasks that are equal in everything are of one
// class: the second cannot start before the first.
type Task struct {
	inventory.Ask
	inventory.Choice
	Partition *inventory.Partition
	Limit     time.Duration
}

// choiceKey is what the nodes a task may use depend on.
type choiceKey struct {
	partition *inventory.Partition
	text      string // of the choice; "": any node
}

// candidates are the nodes some tasks may use.
type candidates struct {
	nodes []*inventory.Node
	ok    bool // those that are required can be used
}

// taskKey is what makes two tasks the same.
type taskKey struct {
	inventory.Ask
	choiceKey
	limit time.Duration
}

// taskClass is what is known of the tasks of one key in one pass.
type taskClass struct {
	inventory.Ask
	*candidates
	length    int64
	notBefore int64 // no place was found before
}

// Begin begins a pass at a moment that looks ahead as far as window. Nodes are all
// of the cluster, by index; held is what every running job has, and until when.
func (p *Plan) Begin(now time.Time, window time.Duration, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []Closure) {
	p.now, p.last = now.UnixNano(), now.Add(window).UnixNano()
	p.times, p.total = append(p.times[:0], p.now), p.total[:0]
	p.classes, p.candidates = map[taskKey]*taskClass{}, map[choiceKey]*candidates{}
	if p.nodes == nil {
		p.nodes, p.releases = make([]timeline, len(nodes)), make([][]slotRelease, len(nodes))
	}
	for slots, until := range held {
		end := until.UnixNano()
		p.times = append(p.times, end)
		for k := range slots {
			s := &slots[k]
			p.releases[s.Node.Index] = append(p.releases[s.Node.Index], slotRelease{end, s})
		}
	}
	for i, n := range nodes {
		p.nodes[i] = p.nodes[i].rebuild(p.now, n.Room(), p.releases[i])
		p.releases[i] = p.releases[i][:0]
	}
	for i := range closed {
		p.block(&closed[i])
	}
	slices.Sort(p.times)
	p.times = slices.Compact(p.times)
}

// block takes nodes that are set aside out of the plan.
func (p *Plan) block(c *Closure) {
	from, to := max(c.From.UnixNano(), p.now), int64(never)
	if !c.To.IsZero() {
		to = c.To.UnixNano()
		p.times = append(p.times, to)
	}
	for _, n := range c.Nodes {
		if to > from {
			p.nodes[n.Index].block(from, to)
		}
	}
}

// Reserve finds the earliest moment at which the task fits for its whole limit
// and takes the place: later tasks must plan around it. No slots: there is no
// place as far as the plan looks.
func (p *Plan) Reserve(t Task) (inventory.Slots, time.Time) {
	k := p.classOf(&t)
	if !k.ok || len(k.nodes) == 0 || k.notBefore > p.last {
		return nil, time.Time{}
	}
	at, slots := p.earliestPlace(k)
	k.notBefore = at
	if slots == nil {
		return nil, time.Time{}
	}
	p.occupy(slots, at, at+k.length)
	return slots, time.Unix(0, at).UTC()
}

// classOf returns what is known of the tasks like this one.
func (p *Plan) classOf(t *Task) *taskClass {
	key := taskKey{Ask: t.Ask, limit: t.Limit, choiceKey: choiceKey{partition: t.Partition}}
	if t.Features != "" || len(t.Required) > 0 || len(t.Excluded) > 0 {
		key.text = fmt.Sprint(t.Features, t.Required, t.Excluded)
	}
	k := p.classes[key]
	if k != nil {
		return k
	}
	at := p.candidates[key.choiceKey]
	if at == nil {
		at = &candidates{}
		at.nodes, at.ok = t.Partition.Candidates(t.Choice)
		p.candidates[key.choiceKey] = at
	}
	k = &taskClass{Ask: key.Ask, candidates: at, length: int64(key.limit), notBefore: p.now}
	p.classes[key] = k
	return k
}

// occupy takes the slots out of the plan.
func (p *Plan) occupy(slots inventory.Slots, from, to int64) {
	for i := range slots {
		s := &slots[i]
		p.nodes[s.Node.Index].occupy(s, from, to)
		if len(p.total) > 0 && s.Type >= 0 {
			p.total.occupy(&inventory.Slot{GPUs: s.GPUs}, from, to)
		}
	}
	if i, ok := slices.BinarySearch(p.times, to); !ok {
		p.times = slices.Insert(p.times, i, to)
	}
}
