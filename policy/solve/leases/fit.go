// Package leases packs gangs into leases, equal spans of time in which devices are held, so that each
// has had what it needs by its deadline. Times are in leases since the present one began: lease k lasts
// from k to k+1, and the present one, 0, is under way. A gang may run in any of the leases before its deadline,
// the last of which it may leave before it is over; its devices are then taken until the lease ends all the same.
//
// That every gang is packed as late as it can be is PackLate of Chronus (W. Gao et al., SoCC 2021). One greedy order
// turns down sets that can be met; Pack tries several, with late leases and with roomy ones.
// What it packs holds always; what it turns down may be possible. IsImpossible proves of some sets that they are not.
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

// IsImpossible reports that no packing of the gangs can be, whatever their widths leave idle: by some time more device
// time is needed than there is. By then each gang must have had what it cannot have between then and its deadline.
func (f Free) IsImpossible(demands []Demand) bool {
	now, changes := math.Inf(1), make([]slopeChange, 0, 2*len(demands))
	for i := range demands {
		d := &demands[i]
		if d.Need <= 0 {
			continue
		}
		if d.slack() < -tolerance {
			return true
		}
		now = min(now, d.Earliest)
		changes = append(changes, slopeChange{d.Deadline - d.Need, float64(d.Width)}, slopeChange{d.Deadline, -float64(d.Width)})
	}
	slices.SortFunc(changes, func(a, b slopeChange) int { return cmp.Compare(a.at, b.at) })
	there := supply{free: f, at: now}
	needed, slope, at := 0.0, 0.0, now
	for _, c := range changes {
		needed += slope * (c.at - at)
		at, slope = c.at, slope+c.by
		if c.by < 0 && needed > there.until(at)+tolerance*float64(len(demands)) {
			return true
		}
	}
	return false
}

// slopeChange is a time from which more or fewer devices are needed at the latest.
type slopeChange struct{ at, by float64 }

// supply adds up device time.
type supply struct {
	free Free
	step int
	at   float64 // until when it is added up
	sum  float64
}

// until is how much device time there is until a time, which is not before that of the last call.
func (s *supply) until(t float64) float64 {
	for s.at < t {
		to := t
		if s.step+1 < len(s.free) {
			to = min(to, float64(s.free[s.step+1].From))
		}
		s.sum += float64(max(s.free[s.step].Devices, 0)) * max(to-s.at, 0)
		s.at = max(s.at, to)
		if s.at < t {
			s.step++
		}
	}
	return s.sum
}

// Until is how much device time there is from one time until another.
func (f Free) Until(from, until float64) float64 {
	return (&supply{free: f, at: from}).until(until)
}

// Orders in which gangs are packed. The first is the published one; each alone turns down sets that another packs.
var orders = []func(a, b *Demand) int{
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(b.Width, a.Width), cmp.Compare(a.slack(), b.slack()), cmp.Compare(b.Deadline, a.Deadline))
	},
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(a.slack(), b.slack()), cmp.Compare(b.Width, a.Width), cmp.Compare(a.Deadline, b.Deadline))
	},
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(b.Width, a.Width))
	},
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(float64(b.Width)*b.Need, float64(a.Width)*a.Need), cmp.Compare(a.Deadline, b.Deadline))
	},
}

// fits are the ways in which a gang takes leases.
var fits = []func(Free, *Demand) ([]Span, bool){Free.FitLate, Free.fitPieces, Free.fitRoomiest}

// Pack packs all gangs, and returns the spans of each in their order; ok is false where it finds no way. budget bounds how
// many times a gang is tried, all ways together, and is lowered by what that took.
func (f Free) Pack(demands []Demand, budget *int) (spans [][]Span, ok bool) {
	line := make([]int, len(demands))
	for _, fit := range fits {
		for _, compare := range orders {
			if *budget < len(demands) {
				return nil, false
			}
			*budget -= len(demands)
			for i := range line {
				line[i] = i
			}
			slices.SortStableFunc(line, func(a, b int) int { return compare(&demands[a], &demands[b]) })
			if spans, ok = f.packInOrder(demands, line, fit); ok {
				return spans, true
			}
		}
	}
	return nil, false
}

// packInOrder packs the gangs of a line one after another; ok is false where one finds no room.
func (f Free) packInOrder(demands []Demand, line []int, fit func(Free, *Demand) ([]Span, bool)) (spans [][]Span, ok bool) {
	left, spans := slices.Clone(f), make([][]Span, len(demands))
	for _, i := range line {
		d := &demands[i]
		if d.InOnePiece {
			spans[i], ok = left.fitOnePiece(d)
		} else {
			spans[i], ok = fit(left, d)
		}
		if !ok {
			return nil, false
		}
		left.Take(spans[i], d.Width)
	}
	return spans, true
}

// Demand is what a gang needs.
type Demand struct {
	Width      int     // devices, all at once
	Need       float64 // leases of run time; not above 0: it needs none
	Earliest   float64 // when it may run at the earliest
	Deadline   float64 // by which it must have run for so long
	InOnePiece bool    // its leases must follow on each other, as it may not be stopped
}

// slack is how many leases may pass before it must run.
func (d *Demand) slack() float64 { return d.Deadline - d.Earliest - d.Need }

// Span is a stretch of leases: from the first to before the last.
type Span struct{ From, To int }

// tolerance is what sums of floating point numbers are forgiven, in leases.
const tolerance = 1e-6

// RunTime is how much of the spans is within two times, in leases.
func RunTime(spans []Span, earliest, deadline float64) float64 {
	sum := 0.0
	for _, s := range spans {
		sum += max(min(float64(s.To), deadline)-max(float64(s.From), earliest), 0)
	}
	return sum
}

// IsMetBy reports whether the gang has what it needs in these spans.
func (d *Demand) IsMetBy(spans []Span) bool {
	return RunTime(spans, d.Earliest, d.Deadline) >= d.Need-tolerance
}
