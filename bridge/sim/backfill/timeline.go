package backfill

import (
	"cmp"
	"slices"

	"fairbridge/bridge/sim/inventory"
)

// timelinePoint is what is free on a node from a moment on. Moments are nanoseconds
// since 1970: backfill compares very many of them.
type timelinePoint struct {
	at int64
	inventory.FreeResources
}

// timeline is a node's future.
type timeline []timelinePoint

// slotRelease is a slot that gets free.
type slotRelease struct {
	at   int64
	slot *inventory.Slot
}

// rebuild makes the timeline of a node that has a room now and gets slots back.
func (t timeline) rebuild(now int64, r inventory.FreeResources, back []slotRelease) timeline {
	slices.SortStableFunc(back, func(a, b slotRelease) int { return cmp.Compare(a.at, b.at) })
	t = append(t[:0], timelinePoint{now, r})
	for _, b := range back {
		if b.at > t[len(t)-1].at {
			t = append(t, timelinePoint{b.at, t[len(t)-1].FreeResources})
		}
		t[len(t)-1].applySlot(b.slot, 1)
	}
	return t
}

// applySlot gives a slot back (sign 1) or takes it (sign -1).
func (p *timelinePoint) applySlot(s *inventory.Slot, sign int) {
	if s.TypeIndex >= 0 {
		p.GPUsByType[s.TypeIndex] += sign * s.GPUs
	}
	p.CPUs += sign * s.CPUs
	p.MemMB += int64(sign) * s.MemMB
	p.JobCount -= sign
}

// occupySlot takes a slot between two moments, of which the first is not before the
// timeline begins.
func (t *timeline) occupySlot(s *inventory.Slot, from, to int64) {
	i := t.splitAt(from)
	k := t.splitAt(to)
	for ; i < k; i++ {
		(*t)[i].applySlot(s, -1)
	}
}

// splitAt makes sure there is a point at the moment and returns its index.
func (t *timeline) splitAt(at int64) int {
	i, ok := slices.BinarySearchFunc(*t, at, func(p timelinePoint, at int64) int { return cmp.Compare(p.at, at) })
	if !ok {
		*t = slices.Insert(*t, i, timelinePoint{at, (*t)[i-1].FreeResources})
	}
	return i
}

// blockPeriod leaves nothing between two moments.
func (t *timeline) blockPeriod(from, to int64) {
	i := t.splitAt(from)
	k := len(*t)
	if to < neverNanos {
		k = t.splitAt(to)
	}
	for ; i < k; i++ {
		(*t)[i].FreeResources = inventory.FreeResources{JobCount: 1}
	}
}

// leastFree returns the room that lasts from one moment to another.
func (t timeline) leastFree(from, to int64) inventory.FreeResources {
	i := 0
	for i+1 < len(t) && t[i+1].at <= from {
		i++
	}
	r := t[i].FreeResources
	for i++; i < len(t) && t[i].at < to; i++ {
		p := &t[i]
		for k := range r.GPUsByType {
			r.GPUsByType[k] = min(r.GPUsByType[k], p.GPUsByType[k])
		}
		r.CPUs, r.MemMB, r.JobCount = min(r.CPUs, p.CPUs), min(r.MemMB, p.MemMB), max(r.JobCount, p.JobCount)
	}
	return r
}

// startRange are moments at which something may start on a node: first to last.
type startRange struct{ first, last int64 }

// requirement is what has to be free for a whole length.
type requirement struct {
	typeIndex   int // index of the GPU type; -1: no GPUs
	gpuCount    int
	cpuCount    int
	memMB       int64
	isExclusive bool
	lengthNanos int64
}

func (n *requirement) fitsIn(r *inventory.FreeResources) bool {
	return (n.typeIndex < 0 || r.GPUsByType[n.typeIndex] >= n.gpuCount) && r.CPUs >= n.cpuCount && r.MemMB >= n.memMB && (!n.isExclusive || r.JobCount == 0)
}

// neverNanos is later than any moment.
const neverNanos = 1<<63 - 1

// appendStartRanges appends the moments from and after from at which the need can start,
// at most so many stretches of them; negative: all.
func (t timeline) appendStartRanges(out []startRange, n *requirement, from int64, most int) []startRange {
	i := 0
	for i+1 < len(t) && t[i+1].at <= from {
		i++
	}
	begun := int64(-1)
	for ; i < len(t); i++ {
		switch ok := n.fitsIn(&t[i].FreeResources); {
		case ok && begun < 0:
			begun = max(t[i].at, from)
		case !ok && begun >= 0:
			if last := t[i].at - n.lengthNanos; last >= begun {
				out = append(out, startRange{begun, last})
				if most--; most == 0 {
					return out
				}
			}
			begun = -1
		}
	}
	if begun >= 0 {
		out = append(out, startRange{begun, neverNanos})
	}
	return out
}
