package pack

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// Footprint is what a job uses of the memory of each of its GPUs, megabytes.
type Footprint struct {
	KeptMB    int64 // what it keeps between iterations: the model
	ScratchMB int64 // what it needs besides within an iteration, at most
}

// FootprintOf returns what a job with the profile uses; known is false where its memory is not. What
// it keeps is all of it, where nothing else is known.
func FootprintOf(s *policy.Sharing) (f Footprint, known bool) {
	most := s.UsedMemMB()
	if most <= 0 {
		return Footprint{}, false
	}
	kept := most
	if s.KeptMemMB > 0 {
		kept = min(s.KeptMemMB, most)
	}
	return Footprint{KeptMB: kept, ScratchMB: most - kept}, true
}

// Lanes are the memory of one GPU whose jobs all run under a service that switches between them at the
// ends of iterations, as Salus does: what they keep stays resident, and scratch memory is divided into
// lanes. The jobs of a lane take turns, so that it is as large as the largest of them needs; lanes run
// at the same time. The memory is safe while
//
//	sum of KeptMB + sum over lanes of the largest ScratchMB <= CapacityMB
//
// Without such a service nothing makes jobs take turns, and each needs all its memory at any time:
// Accepts. The zero Lanes has no memory; a copy shares its lanes.
type Lanes struct {
	CapacityMB int64
	lanes      [][]Footprint
	keptMB     int64
}

// UsedMB returns what the jobs admitted need at most together.
func (l *Lanes) UsedMB() int64 {
	used := l.keptMB
	for _, lane := range l.lanes {
		used += scratchOf(lane)
	}
	return used
}

// Count returns the number of lanes.
func (l *Lanes) Count() int { return len(l.lanes) }

// scratchOf is the size of a lane.
func scratchOf(lane []Footprint) int64 {
	most := int64(0)
	for _, f := range lane {
		most = max(most, f.ScratchMB)
	}
	return most
}

// Admit puts a job in a lane of its own where the memory is enough, else in the smallest lane, which may
// grow for it, where it then is. It reports whether it could.
func (l *Lanes) Admit(f Footprint) bool {
	left := l.CapacityMB - l.UsedMB() - f.KeptMB
	if f.ScratchMB <= left {
		l.lanes, l.keptMB = append(l.lanes, []Footprint{f}), l.keptMB+f.KeptMB
		return true
	}
	for _, k := range l.smallestFirst() {
		if max(f.ScratchMB-scratchOf(l.lanes[k]), 0) <= left {
			l.lanes[k], l.keptMB = append(l.lanes[k], f), l.keptMB+f.KeptMB
			return true
		}
	}
	return false
}

// smallestFirst returns the lanes by their size.
func (l *Lanes) smallestFirst() []int {
	order := make([]int, len(l.lanes))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scratchOf(l.lanes[a]), scratchOf(l.lanes[b])) })
	return order
}

// Remove takes out a job that was admitted with the footprint. It reports whether there is one.
func (l *Lanes) Remove(f Footprint) bool {
	for k, lane := range l.lanes {
		at := slices.Index(lane, f)
		if at < 0 {
			continue
		}
		l.keptMB -= f.KeptMB
		if l.lanes[k] = slices.Delete(slices.Clone(lane), at, at+1); len(lane) == 1 {
			l.lanes = slices.Delete(slices.Clone(l.lanes), k, k+1)
		}
		return true
	}
	return false
}
