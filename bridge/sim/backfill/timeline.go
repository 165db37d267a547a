package backfill

import (
	"cmp"
	"slices"

	"fairbridge/bridge/sim/inventory"
)

// point is what is free on a node from a moment on. Moments are nanoseconds
// since 1970: backfill compares very many of them.
type point struct {
	at int64
	inventory.Room
}

// timeline is a node's future.
type timeline []point

// release is a slot that gets free.
type release struct {
	at   int64
	slot *inventory.Slot
}

// lay makes the timeline of a node that has a room now and gets slots back.
func (t timeline) lay(now int64, r inventory.Room, back []release) timeline {
	slices.SortStableFunc(back, func(a, b release) int { return cmp.Compare(a.at, b.at) })
	t = append(t[:0], point{now, r})
	for _, b := range back {
		if b.at > t[len(t)-1].at {
			t = append(t, point{b.at, t[len(t)-1].Room})
		}
		t[len(t)-1].add(b.slot, 1)
	}
	return t
}

// add gives a slot back (sign 1) or takes it (sign -1).
func (p *point) add(s *inventory.Slot, sign int) {
	if s.Type >= 0 {
		p.GPUs[s.Type] += sign * s.GPUs
	}
	p.CPUs += sign * s.CPUs
	p.MemMB += int64(sign) * s.MemMB
	p.Jobs -= sign
}

// take takes a slot between two moments, of which the first is not before the
// timeline begins.
func (t *timeline) take(s *inventory.Slot, from, to int64) {
	i := t.split(from)
	k := t.split(to)
	for ; i < k; i++ {
		(*t)[i].add(s, -1)
	}
}

// split makes sure there is a point at the moment and returns its index.
func (t *timeline) split(at int64) int {
	i, ok := slices.BinarySearchFunc(*t, at, func(p point, at int64) int { return cmp.Compare(p.at, at) })
	if !ok {
		*t = slices.Insert(*t, i, point{at, (*t)[i-1].Room})
	}
	return i
}

// close leaves nothing between two moments.
func (t *timeline) close(from, to int64) {
	i := t.split(from)
	k := len(*t)
	if to < never {
		k = t.split(to)
	}
	for ; i < k; i++ {
		(*t)[i].Room = inventory.Room{Jobs: 1}
	}
}

// least returns the room that lasts from one moment to another.
func (t timeline) least(from, to int64) inventory.Room {
	i := 0
	for i+1 < len(t) && t[i+1].at <= from {
		i++
	}
	r := t[i].Room
	for i++; i < len(t) && t[i].at < to; i++ {
		p := &t[i]
		for k := range r.GPUs {
			r.GPUs[k] = min(r.GPUs[k], p.GPUs[k])
		}
		r.CPUs, r.MemMB, r.Jobs = min(r.CPUs, p.CPUs), min(r.MemMB, p.MemMB), max(r.Jobs, p.Jobs)
	}
	return r
}

// stay are moments at which something may start on a node: first to last.
type stay struct{ first, last int64 }

// need is what has to be free for a whole length.
type need struct {
	typ    int // index of the GPU type; -1: no GPUs
	gpus   int
	cpus   int
	mem    int64
	all    bool
	length int64
}

func (n *need) in(r *inventory.Room) bool {
	return (n.typ < 0 || r.GPUs[n.typ] >= n.gpus) && r.CPUs >= n.cpus && r.MemMB >= n.mem && (!n.all || r.Jobs == 0)
}

// never is later than any moment.
const never = 1<<63 - 1

// stays appends the moments from and after from at which the need can start,
// at most so many stretches of them; negative: all.
func (t timeline) stays(out []stay, n *need, from int64, most int) []stay {
	i := 0
	for i+1 < len(t) && t[i+1].at <= from {
		i++
	}
	begun := int64(-1)
	for ; i < len(t); i++ {
		switch ok := n.in(&t[i].Room); {
		case ok && begun < 0:
			begun = max(t[i].at, from)
		case !ok && begun >= 0:
			if last := t[i].at - n.length; last >= begun {
				out = append(out, stay{begun, last})
				if most--; most == 0 {
					return out
				}
			}
			begun = -1
		}
	}
	if begun >= 0 {
		out = append(out, stay{begun, never})
	}
	return out
}
