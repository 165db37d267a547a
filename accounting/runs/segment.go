package runs

import (
	"time"

	"fairbridge/bridge/slurm"
)

// segment is one row of run_segments without its run.
type segment struct {
	hold
	chunk
}

// segmentsOf returns the segments of a run as they should stand after a view.
// old are those that stand, sorted by start.
//
// A run that always held what it holds now is told afresh from its record, so
// that repeating a view changes nothing. One that was resized keeps what is
// past, and goes on with what it holds now from the moment the change was
// seen.
func segmentsOf(old []segment, j *slurm.Job, v *slurm.View) []segment {
	at := v.At
	holds, chunks := holdsOf(j, v.Node), chunksOf(j, at)
	if len(j.Gres) == 0 && len(old) > 0 { // the record of a finished run forgets its devices
		holds = lastHolds(old)
	}
	if len(old) == 0 || sameHolds(old, holds) {
		return cross(holds, chunks)
	}
	return resized(old, holds, chunks, at)
}

func cross(holds []hold, chunks []chunk) []segment {
	var out []segment
	for _, c := range chunks {
		for _, h := range holds {
			out = append(out, segment{h, c})
		}
	}
	return out
}

// lastHolds returns what the run held last: what it still holds, else what it
// gave up last.
func lastHolds(old []segment) []hold {
	var last time.Time
	open := false
	for _, s := range old {
		open = open || s.stop.IsZero()
		last = later(last, s.stop)
	}
	if open {
		last = time.Time{}
	}
	var out []hold
	for _, s := range old {
		if s.stop.Equal(last) {
			out = append(out, s.hold)
		}
	}
	return out
}

// sameHolds reports whether every stretch of old has exactly the holds.
func sameHolds(old []segment, holds []hold) bool {
	want := map[hold]bool{}
	for _, h := range holds {
		want[h] = true
	}
	stretches := map[time.Time]int{}
	for _, s := range old {
		if !want[s.hold] {
			return false
		}
		stretches[s.start]++
	}
	for _, n := range stretches {
		if n != len(holds) {
			return false
		}
	}
	return true
}

// resized closes what the run holds no longer and opens what it holds newly.
func resized(old []segment, holds []hold, chunks []chunk, at time.Time) []segment {
	var last chunk
	if len(chunks) > 0 {
		last = chunks[len(chunks)-1]
	}
	running := len(chunks) > 0 && last.stop.IsZero()
	now := map[hold]bool{}
	for _, h := range holds {
		now[h] = running
	}
	var out []segment
	open := map[hold]bool{}
	for _, s := range old {
		if s.stop.IsZero() {
			switch {
			case now[s.hold] && !last.start.After(s.start):
				open[s.hold] = true
			case !last.stop.IsZero():
				s.stop = later(last.stop, s.start)
			default:
				s.stop = later(at, s.start)
			}
		}
		if s.stop.IsZero() || s.stop.After(s.start) {
			out = append(out, s)
		}
	}
	for _, h := range holds {
		if running && !open[h] {
			out = append(out, segment{h, chunk{start: later(last.start, lastStop(out))}})
		}
	}
	return out
}

// lastStop returns when the run last changed.
func lastStop(list []segment) time.Time {
	var t time.Time
	for _, s := range list {
		t = later(t, s.stop)
	}
	return t
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
