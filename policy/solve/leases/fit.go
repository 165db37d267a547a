package leases

import (
	"cmp"
	"math"
	"slices"
)

// FitLate returns the latest leases in which the gang finds its devices free and by which it meets its deadline: in one
// piece if it can be, else piece by piece unless it must be in one. ok is false where there are none.
func (f Free) FitLate(d *Demand) (spans []Span, ok bool) {
	if spans, ok = f.fitOnePiece(d); ok || d.InOnePiece {
		return spans, ok
	}
	return f.fitPieces(d)
}

// window is the leases the gang may run in.
func (d *Demand) window() (first, end int) {
	return int(math.Floor(d.Earliest)), int(math.Ceil(d.Deadline - tolerance))
}

// fitPieces takes the latest leases that have room until the gang has enough.
func (f Free) fitPieces(d *Demand) (spans []Span, ok bool) {
	steps := make([]int, len(f))
	for i := range steps {
		steps[i] = len(f) - 1 - i
	}
	return f.fitSteps(d, steps)
}

// fitRoomiest takes the leases that have most room, the latest of them first, so that others find some in the rest.
func (f Free) fitRoomiest(d *Demand) (spans []Span, ok bool) {
	steps := make([]int, len(f))
	for i := range steps {
		steps[i] = i
	}
	slices.SortFunc(steps, func(a, b int) int { return cmp.Or(cmp.Compare(f[b].Devices, f[a].Devices), cmp.Compare(b, a)) })
	return f.fitSteps(d, steps)
}

// fitSteps takes the leases of steps with room, one step after another, until the gang has enough.
func (f Free) fitSteps(d *Demand, steps []int) (spans []Span, ok bool) {
	first, end := d.window()
	left := d.Need
	for _, i := range steps {
		s := Span{max(f[i].From, first), f.end(i, end)}
		got := RunTime([]Span{s}, d.Earliest, d.Deadline)
		if left <= tolerance || got <= 0 || f[i].Devices < d.Width {
			continue
		}
		if got > left+tolerance {
			s.From = latestStart(s, d, left)
		}
		left -= got
		spans = append(spans, s)
	}
	return joinSpans(spans), left <= tolerance
}

// joinSpans sorts spans and makes one of those that follow on each other.
func joinSpans(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && joined[n-1].To == s.From {
			joined[n-1].To = s.To
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// latestStart is the last lease of a span with which a gang that runs until its end has run for so long.
func latestStart(s Span, d *Demand, need float64) int {
	return max(int(math.Floor(min(float64(s.To), d.Deadline)-need+tolerance)), s.From)
}

// fitOnePiece takes the latest stretch of leases that has room and is long enough.
func (f Free) fitOnePiece(d *Demand) (spans []Span, ok bool) {
	first, end := d.window()
	if d.Need <= tolerance {
		return nil, true
	}
	room := Span{end, end} // with devices, from the last step that had too few
	for i := len(f) - 1; i >= 0; i-- {
		s := Span{max(f[i].From, first), f.end(i, end)}
		switch {
		case s.To <= s.From:
			continue
		case f[i].Devices < d.Width:
			room = Span{s.From, s.From}
			continue
		}
		room.From = s.From
		if RunTime([]Span{room}, d.Earliest, d.Deadline) >= d.Need-tolerance {
			return []Span{{latestStart(room, d, d.Need), room.To}}, true
		}
	}
	return nil, false
}

// Earliest returns when the gang would have run for as long as it needs if it took every lease with
// room for it; +Inf: never. Its deadline does not count.
func (f Free) Earliest(d *Demand) float64 {
	left := d.Need
	for i, s := range f {
		from, to := max(float64(s.From), d.Earliest), math.Inf(1)
		if i+1 < len(f) {
			to = float64(f[i+1].From)
		}
		switch {
		case to <= from:
		case s.Devices < d.Width:
			if d.InOnePiece {
				left = d.Need
			}
		case to-from >= left:
			return from + left
		default:
			left -= to - from
		}
	}
	return math.Inf(1)
}
