package engine

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// leftovers are what a round leaves for the next one on the same nodes, by policy.Scratch: what it found out of them, and
// its memory.
type leftovers struct {
	freePool        pool.Kept
	cachedEmptyPool *pool.Pool // see emptyPool
	gangsByKey      map[gangKey]*gangFacts
	roundCount      int // rounds so far, from 1
	entries         []Entry
	entryPointers   []*Entry
	lastJobs        []policy.JobID // of the snapshot for which Line was made last
	lastLine        []int          // places in lastJobs
}

func newRound(s *policy.Snapshot, p Predictor) *Round {
	l := policy.TakeLeft[leftovers](s.Scratch)
	if l == nil || !l.freePool.IsOf(s) {
		l = &leftovers{}
	}
	l.roundCount++
	l.entries = slices.Grow(l.entries[:0], len(s.Jobs))[:len(s.Jobs)]
	l.entryPointers = slices.Grow(l.entryPointers[:0], len(s.Jobs))[:len(s.Jobs)]
	clear(l.entries)
	r := &Round{Snapshot: s, predictor: p, FreePool: l.freePool.Renew(s), Entries: l.entryPointers, leftovers: l}
	for i := range l.entries {
		e := &l.entries[i]
		e.Job = &s.Jobs[i]
		e.PlannedAlloc, e.Index, e.round = e.On, i, r
		r.Entries[i] = e
	}
	return r
}

// Line returns all entries in order; compare tells any two of them apart. It begins with the line that was made last,
// in which most stand already as they will.
func (r *Round) Line(compare func(a, b *Entry) int) []*Entry {
	line := r.arrangeAsLast()
	misplaced := 0
	for i := 1; i < len(line); i++ {
		e := line[i]
		if compare(line[i-1], e) <= 0 {
			continue
		}
		if misplaced++; misplaced > 8+len(line)/8 {
			slices.SortFunc(line, compare)
			break
		}
		at, _ := slices.BinarySearchFunc(line[:i-1], e, compare)
		copy(line[at+1:i+1], line[at:i])
		line[at] = e
	}
	r.keepLine(line)
	return line
}

// arrangeAsLast returns the entries in the order of the last line, those that it did not have at the end.
func (r *Round) arrangeAsLast() []*Entry {
	line := make([]*Entry, 0, len(r.Entries))
	if r.leftovers == nil || len(r.lastLine) == 0 {
		return append(line, r.Entries...)
	}
	rows := r.JobIndexes(r.lastJobs)
	entries := make([]*Entry, len(r.lastJobs))
	for i, row := range rows {
		if row >= 0 {
			entries[row] = r.Entries[i]
		}
	}
	for _, row := range r.lastLine {
		if entries[row] != nil {
			line = append(line, entries[row])
		}
	}
	for i, row := range rows {
		if row < 0 || entries[row] != r.Entries[i] {
			line = append(line, r.Entries[i])
		}
	}
	return line
}

// keepLine keeps the line for the next round.
func (r *Round) keepLine(line []*Entry) {
	if r.Scratch == nil || r.leftovers == nil {
		return
	}
	r.lastJobs, r.lastLine = r.lastJobs[:0], r.lastLine[:0]
	for _, e := range r.Entries {
		r.lastJobs = append(r.lastJobs, e.ID)
	}
	for _, e := range line {
		r.lastLine = append(r.lastLine, e.Index)
	}
}
