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

// point is what is free on a node from a moment on.
type point struct {
	at time.Time
	inventory.Room
}

// timeline is a node's future.
type timeline []point

// leastRoom returns the room that lasts from one moment to another.
func (t timeline) leastRoom(from, to time.Time) inventory.Room {
	var r inventory.Room
	first := true
	for i, p := range t {
		if !p.at.Before(to) {
			break
		}
		if i+1 < len(t) && !t[i+1].at.After(from) {
			continue
		}
		if first {
			r, first = p.Room, false
			continue
		}
		for k := range r.GPUs {
			r.GPUs[k] = min(r.GPUs[k], p.GPUs[k])
		}
		r.CPUs, r.MemMB, r.Jobs = min(r.CPUs, p.CPUs), min(r.MemMB, p.MemMB), max(r.Jobs, p.Jobs)
	}
	return r
}

// year is the limit of a job without one.
const year = 365 * 24 * time.Hour

// change adds (sign 1) or takes (sign -1) a slot between two moments.
func (t *timeline) change(s inventory.Slot, sign int, from, to time.Time) {
	t.splitAt(from)
	t.splitAt(to)
	for i := range *t {
		p := &(*t)[i]
		if p.at.Before(from) || !p.at.Before(to) {
			continue
		}
		if s.Type >= 0 {
			p.GPUs[s.Type] += sign * s.GPUs
		}
		p.CPUs += sign * s.CPUs
		p.MemMB += int64(sign) * s.MemMB
		p.Jobs -= sign
	}
}

func (t *timeline) splitAt(at time.Time) {
	for i, p := range *t {
		if p.at.Equal(at) || i == 0 && at.Before(p.at) {
			return
		}
		if p.at.After(at) {
			*t = slices.Insert(*t, i, point{at, (*t)[i-1].Room})
			return
		}
	}
	*t = append(*t, point{at, (*t)[len(*t)-1].Room})
}

// Reference is backfill as plainly as it can be said: every task tries every
// moment, and every moment every node. What plans fast must plan the same.
type Reference struct {
	now, last time.Time
	nodes     []timeline  // by node index
	times     []time.Time // moments at which something gets free, ascending
	tried     map[taskKey]int
}

// taskKey is what makes two jobs the same to backfill: the second cannot start
// before the first.
type taskKey struct {
	inventory.Ask
	limit time.Duration
	p     *inventory.Partition
	pick  string // features and excluded nodes
}

// Begin lays out what is free when, if every running job uses its limit.
func (f *Reference) Begin(now time.Time, window time.Duration, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []backfill.Closure) {
	*f = Reference{now: now, last: now.Add(window), nodes: make([]timeline, len(nodes)), times: []time.Time{now}, tried: map[taskKey]int{}}
	for _, n := range nodes {
		f.nodes[n.Index] = timeline{{now, n.Room()}}
	}
	for slots, until := range held {
		f.times = append(f.times, until)
		for _, s := range slots {
			f.nodes[s.Node.Index].change(s, 1, until, now.Add(2*year))
		}
	}
	for _, c := range closed {
		f.block(c)
	}
	slices.SortFunc(f.times, time.Time.Compare)
	f.times = slices.CompactFunc(f.times, time.Time.Equal)
}

// block leaves nothing of the nodes while they are set aside.
func (f *Reference) block(c backfill.Closure) {
	from, to := c.From, c.To
	if from.Before(f.now) {
		from = f.now
	}
	if to.IsZero() {
		to = f.now.Add(4 * year)
	} else {
		f.times = append(f.times, to)
	}
	for _, n := range c.Nodes {
		if !to.After(from) {
			continue
		}
		t := &f.nodes[n.Index]
		t.splitAt(from)
		t.splitAt(to)
		for i := range *t {
			if p := &(*t)[i]; !p.at.Before(from) && p.at.Before(to) {
				p.Room = inventory.Room{Jobs: 1}
			}
		}
	}
}

// Reserve finds the earliest moment at which the task fits for its whole limit
// and takes the place.
func (f *Reference) Reserve(t backfill.Task) (inventory.Slots, time.Time) {
	list, ok := t.Partition.Candidates(t.Choice)
	if !ok || len(list) == 0 {
		return nil, time.Time{}
	}
	var at time.Time
	free := func(n *inventory.Node) inventory.Room { return f.nodes[n.Index].leastRoom(at, at.Add(t.Limit)) }
	key := taskKey{t.Ask, t.Limit, t.Partition, fmt.Sprint(t.Features, t.Required, t.Excluded)}
	for i := f.tried[key]; i < len(f.times) && !f.times[i].After(f.last); i++ {
		at = f.times[i]
		slots := t.Fit(list, free)
		if slots == nil {
			f.tried[key] = i + 1
			continue
		}
		f.occupy(slots, at, at.Add(t.Limit))
		return slots, at
	}
	f.tried[key] = len(f.times)
	return nil, time.Time{}
}

// occupy takes the slots out of the Reference.
func (f *Reference) occupy(slots inventory.Slots, from, to time.Time) {
	for _, s := range slots {
		f.nodes[s.Node.Index].change(s, -1, from, to)
	}
	if i, ok := slices.BinarySearchFunc(f.times, to, time.Time.Compare); !ok {
		f.times = slices.Insert(f.times, i, to)
	}
}
