package leases

import (
	"cmp"
	"math"
	"slices"
)

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
