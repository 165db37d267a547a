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

// slotRelease is a slot that gets free.
type slotRelease struct {
	at   int64
	slot *inventory.Slot
}

// rebuild makes the timeline of a node that has a room now and gets slots back.
func (t timeline) rebuild(now int64, r inventory.Room, back []slotRelease) timeline {
	slices.SortStableFunc(back, func(a, b slotRelease) int { return cmp.Compare(a.at, b.at) })
	t = append(t[:0], point{now, r})
	for _, b := range back {
		if b.at > t[len(t)-1].at {
			t = append(t, point{b.at, t[len(t)-1].Room})
		}
		t[len(t)-1].change(b.slot, 1)
	}
	return t
}

// change gives a slot back (sign 1) or takes it (sign -1).
func (p *point) change(s *inventory.Slot, sign int) {
	if s.Type >= 0 {
		p.GPUs[s.Type] += sign * s.GPUs
	}
	p.CPUs += sign * s.CPUs
	p.MemMB += int64(sign) * s.MemMB
	p.Jobs -= sign
}

// occupy takes a slot between two moments, of which the first is not before the
// timeline begins.
func (t *timeline) occupy(s *inventory.Slot, from, to int64) {
	i := t.splitAt(from)
	k := t.splitAt(to)
	for ; i < k; i++ {
		(*t)[i].change(s, -1)
	}
}

// splitAt makes sure there is a point at the moment and returns its index.
func (t *timeline) splitAt(at int64) int {
	i, ok := slices.BinarySearchFunc(*t, at, func(p point, at int64) int { return cmp.Compare(p.at, at) })
	if !ok {
		*t = slices.Insert(*t, i, point{at, (*t)[i-1].Room})
	}
	return i
}

// block leaves nothing between two moments.
func (t *timeline) block(from, to int64) {
	i := t.splitAt(from)
	k := len(*t)
	if to < never {
		k = t.splitAt(to)
	}
	for ; i < k; i++ {
		(*t)[i].Room = inventory.Room{Jobs: 1}
	}
}

// leastRoom returns the room that lasts from one moment to another.
func (t timeline) leastRoom(from, to int64) inventory.Room {
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

// startRange are moments at which something may start on a node: first to last.
type startRange struct{ first, last int64 }

// requirement is what has to be free for a whole length.
type requirement struct {
	typ    int // index of the GPU type; -1: no GPUs
	gpus   int
	cpus   int
	mem    int64
	all    bool
	length int64
}

func (n *requirement) fitsIn(r *inventory.Room) bool {
	return (n.typ < 0 || r.GPUs[n.typ] >= n.gpus) && r.CPUs >= n.cpus && r.MemMB >= n.mem && (!n.all || r.Jobs == 0)
}

// never is later than any moment.
const never = 1<<63 - 1

// startRanges appends the moments from and after from at which the need can start,
// at most so many stretches of them; negative: all.
func (t timeline) startRanges(out []startRange, n *requirement, from int64, most int) []startRange {
	i := 0
	for i+1 < len(t) && t[i+1].at <= from {
		i++
	}
	begun := int64(-1)
	for ; i < len(t); i++ {
		switch ok := n.fitsIn(&t[i].Room); {
		case ok && begun < 0:
			begun = max(t[i].at, from)
		case !ok && begun >= 0:
			if last := t[i].at - n.length; last >= begun {
				out = append(out, startRange{begun, last})
				if most--; most == 0 {
					return out
				}
			}
			begun = -1
		}
	}
	if begun >= 0 {
		out = append(out, startRange{begun, never})
	}
	return out
}
