package engine

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// leftovers are what a round leaves for the next one on the same nodes, by policy.Scratch: what it found out of
// them, and its memory.
type leftovers struct {
	freePool        pool.Kept
	cachedEmptyPool *pool.Pool // see emptyPool
	gangsByKey      map[gangKey]*gangFacts
	roundCount      int // rounds so far, from 1
	entries         []Entry
	entryPointers   []*Entry
	lastJobs        []policy.JobID // of the last round
	lastLine        []int          // places in lastJobs; nil: it made none by Line
	lastGangs       []*gangFacts   // of lastJobs; nil: not known
	rows            []int          // places of the jobs of this round in lastJobs; see Round.lastRows
	madeLine        []*Entry       // by Line in this round
}

func newRound(s *policy.Snapshot, p Predictor) *Round {
	r := newRoundWithoutEntries(s, p)
	r.addEntries()
	return r
}

func newRoundWithoutEntries(s *policy.Snapshot, p Predictor) *Round {
	l := policy.TakeLeft[leftovers](s.Scratch)
	if l == nil || !l.freePool.IsOf(s) || len(l.gangsByKey) > maxKeptGangs {
		l = &leftovers{}
	}
	l.roundCount++
	l.rows, l.madeLine = l.rows[:0], nil
	return &Round{Snapshot: s, predictor: p, FreePool: l.freePool.Renew(s), leftovers: l}
}

// addEntries makes the entries of all jobs.
func (r *Round) addEntries() {
	l, s := r.leftovers, r.Snapshot
	l.entries = slices.Grow(l.entries[:0], len(s.Jobs))[:len(s.Jobs)]
	l.entryPointers = slices.Grow(l.entryPointers[:0], len(s.Jobs))[:len(s.Jobs)]
	clear(l.entries)
	r.Entries = l.entryPointers
	for i := range l.entries {
		e := &l.entries[i]
		e.Job = &s.Jobs[i]
		e.PlannedAlloc, e.Index, e.round = e.On, i, r
		r.Entries[i] = e
	}
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
	if r.leftovers != nil {
		r.madeLine = line
	}
	return line
}

// arrangeAsLast returns the entries in the order of the last line, those that it did not have at the end.
func (r *Round) arrangeAsLast() []*Entry {
	line := make([]*Entry, 0, len(r.Entries))
	if r.leftovers == nil || len(r.lastLine) == 0 {
		return append(line, r.Entries...)
	}
	rows := r.lastRows()
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

// lastRows returns the places of the jobs in the last round; -1: it did not have them.
func (r *Round) lastRows() []int {
	if len(r.rows) == 0 {
		r.rows = r.AppendJobIndexes(r.rows, r.lastJobs)
	}
	return r.rows
}

// lastGang returns the facts that the last round had of the entry's gang; nil: none, or it is another gang now.
func (r *Round) lastGang(e *Entry) *gangFacts {
	a := &e.Ask
	isAsAsked := e.WantedDeviceCount == a.GPUs.Count && e.WantedAmounts == (policy.Amounts{}) && !e.Grant.HasLease
	if !isAsAsked || len(r.lastJobs) == 0 || len(r.Entries) != len(r.Jobs) {
		return nil
	}
	row := r.lastRows()[e.Index]
	if row < 0 || r.lastGangs[row] == nil || !r.lastGangs[row].key.isOf(e.Partition, a) {
		return nil
	}
	return r.lastGangs[row]
}

// leave leaves to the next round what was found out.
func (r *Round) leave() {
	if r.Scratch == nil {
		return
	}
	l := r.leftovers
	l.lastJobs, l.lastLine, l.lastGangs = l.lastJobs[:0], l.lastLine[:0], l.lastGangs[:0]
	for _, e := range r.Entries {
		l.lastJobs, l.lastGangs = append(l.lastJobs, e.ID), append(l.lastGangs, e.cachedFacts.gangFacts)
	}
	for _, e := range l.madeLine {
		l.lastLine = append(l.lastLine, e.Index)
	}
	r.Scratch.Leave(l)
}
