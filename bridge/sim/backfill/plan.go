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
	now   int64
	last  int64       // how far it looks
	nodes []timeline  // by node index
	back  [][]release // by node index, while they are laid out
	times []int64     // moments at which something gets free, ascending
	total timeline    // GPUs of all nodes; empty: not needed yet
	kinds map[shape]*kind
	picks map[pick]*places
	stays []stay // scratch
	turns []turn // scratch
}

// Closed is a time in which nothing may run on some nodes.
type Closed struct {
	Nodes    []*inventory.Node
	From, To time.Time // To zero: without end
}

// Task is one task to be planned. Tasks that are equal in everything are of one
// shape: the second cannot start before the first.
type Task struct {
	inventory.Ask
	inventory.Choice
	Partition *inventory.Partition
	Limit     time.Duration
}

// pick is what the nodes a task may use depend on.
type pick struct {
	p    *inventory.Partition
	text string // of the choice; "": any node
}

// places are the nodes some tasks may use.
type places struct {
	nodes []*inventory.Node
	ok    bool // those that are required can be used
}

// shape is what makes two tasks the same.
type shape struct {
	inventory.Ask
	pick
	limit time.Duration
}

// kind is what is known of a shape in one pass.
type kind struct {
	inventory.Ask
	*places
	length int64
	from   int64 // no place was found before
}

// Lay begins a pass at a moment that looks ahead as far as window. Nodes are all
// of the cluster, by index; held is what every running job has, and until when.
func (p *Plan) Lay(now time.Time, window time.Duration, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []Closed) {
	p.now, p.last = now.UnixNano(), now.Add(window).UnixNano()
	p.times, p.total = append(p.times[:0], p.now), p.total[:0]
	p.kinds, p.picks = map[shape]*kind{}, map[pick]*places{}
	if p.nodes == nil {
		p.nodes, p.back = make([]timeline, len(nodes)), make([][]release, len(nodes))
	}
	for slots, until := range held {
		end := until.UnixNano()
		p.times = append(p.times, end)
		for k := range slots {
			s := &slots[k]
			p.back[s.Node.Index] = append(p.back[s.Node.Index], release{end, s})
		}
	}
	for i, n := range nodes {
		p.nodes[i] = p.nodes[i].lay(p.now, n.Room(), p.back[i])
		p.back[i] = p.back[i][:0]
	}
	for i := range closed {
		p.close(&closed[i])
	}
	slices.Sort(p.times)
	p.times = slices.Compact(p.times)
}

// close takes nodes that are set aside out of the plan.
func (p *Plan) close(c *Closed) {
	from, to := max(c.From.UnixNano(), p.now), int64(never)
	if !c.To.IsZero() {
		to = c.To.UnixNano()
		p.times = append(p.times, to)
	}
	for _, n := range c.Nodes {
		if to > from {
			p.nodes[n.Index].close(from, to)
		}
	}
}

// Reserve finds the earliest moment at which the task fits for its whole limit
// and takes the place: later tasks must plan around it. No slots: there is no
// place as far as the plan looks.
func (p *Plan) Reserve(t Task) (inventory.Slots, time.Time) {
	k := p.kind(&t)
	if !k.ok || len(k.nodes) == 0 || k.from > p.last {
		return nil, time.Time{}
	}
	at, slots := p.place(k)
	k.from = at
	if slots == nil {
		return nil, time.Time{}
	}
	p.book(slots, at, at+k.length)
	return slots, time.Unix(0, at).UTC()
}

// kind returns what is known of the task's shape.
func (p *Plan) kind(t *Task) *kind {
	key := shape{Ask: t.Ask, limit: t.Limit, pick: pick{p: t.Partition}}
	if t.Features != "" || len(t.Required) > 0 || len(t.Excluded) > 0 {
		key.text = fmt.Sprint(t.Features, t.Required, t.Excluded)
	}
	k := p.kinds[key]
	if k != nil {
		return k
	}
	at := p.picks[key.pick]
	if at == nil {
		at = &places{}
		at.nodes, at.ok = t.Partition.Candidates(t.Choice)
		p.picks[key.pick] = at
	}
	k = &kind{Ask: key.Ask, places: at, length: int64(key.limit), from: p.now}
	p.kinds[key] = k
	return k
}

// book takes the slots out of the plan.
func (p *Plan) book(slots inventory.Slots, from, to int64) {
	for i := range slots {
		s := &slots[i]
		p.nodes[s.Node.Index].take(s, from, to)
		if len(p.total) > 0 && s.Type >= 0 {
			p.total.take(&inventory.Slot{GPUs: s.GPUs}, from, to)
		}
	}
	if i, ok := slices.BinarySearch(p.times, to); !ok {
		p.times = slices.Insert(p.times, i, to)
	}
}
