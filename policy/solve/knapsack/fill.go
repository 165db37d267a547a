package knapsack

import (
	"math"
	"slices"
)

// listBounds lists the bounds on the longest rest: what is left of an item after so
// many rounds, from the least bound that can be kept.
func (d *roundCounting) listBounds() {
	lowest, highest := 0.0, 0.0
	for i := range d.Items {
		s := &d.Items[i]
		lowest = max(lowest, s.remaining(d.mostRounds(s)))
		highest = max(highest, s.remaining(d.least[i]))
	}
	d.bounds = append(d.bounds, highest)
	if d.LongestRestCost > 0 {
		lowest = d.leastBound(lowest, highest)
		d.bounds = append(d.bounds, lowest)
		for i := range d.Items {
			s := &d.Items[i]
			for y := d.mostRounds(s); y >= d.least[i] && s.remaining(y) < highest; y-- {
				if at := s.remaining(y); at >= lowest-1e-6*(1+lowest) { // lowest is not exact
					d.bounds = append(d.bounds, at)
				}
			}
		}
	}
	slices.Sort(d.bounds)
	d.bounds = slices.Compact(d.bounds)
}

// leastBound returns the least bound that there are rounds enough to keep, to a
// second or less.
func (d *roundCounting) leastBound(lo, hi float64) float64 {
	if d.sizeNeeded(lo) <= d.room {
		return lo
	}
	for hi-lo > 1e-9*(1+hi) {
		if mid := lo + (hi-lo)/2; d.sizeNeeded(mid) <= d.room {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// sizeNeeded returns the devices times rounds it takes to keep the bound.
func (d *roundCounting) sizeNeeded(bound float64) int {
	n := 0
	for i := range d.Items {
		n += d.requiredRounds(i, bound) * d.Items[i].DevicesPerRound
	}
	return n
}

// requiredRounds returns the rounds the item needs to keep the bound.
func (d *roundCounting) requiredRounds(i int, bound float64) int {
	s := &d.Items[i]
	if s.SecondsLeft <= bound || s.SecondsCutPerRound <= 0 {
		return d.least[i]
	}
	y := math.Ceil((s.SecondsLeft - bound) / s.SecondsCutPerRound)
	if y > 1 && s.remaining(int(y)-1) <= bound { // the quotient was rounded up
		y--
	}
	return max(d.least[i], min(int(y), d.mostRounds(s)))
}

// fill gives every item what keeps the bound, the others by worth, and returns
// the value.
func (d *roundCounting) fill(bound float64) float64 {
	room := d.room
	for i := range d.Items {
		d.y[i] = d.requiredRounds(i, bound)
		room -= d.y[i] * d.Items[i].DevicesPerRound
	}
	if room < 0 {
		return math.Inf(-1)
	}
	d.fillByWorth(room)
	return d.Value(d.y)
}

// fillByWorth gives out the room by worth and returns what is left of it. Where the
// next round of an item does not fit, its later ones do not either.
func (d *roundCounting) fillByWorth(room int) int {
	for _, u := range d.units {
		if room == 0 {
			break
		}
		if size := d.Items[u.item].DevicesPerRound; u.worthPerDevice > 0 && d.y[u.item] == int(u.roundNumber)-1 && size <= room {
			d.y[u.item]++
			room -= size
		}
	}
	return room
}
