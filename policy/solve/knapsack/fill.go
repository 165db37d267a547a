package knapsack

import (
	"math"
	"slices"
)

// listRestBounds lists the bounds on the longest rest: what is left of an item after so
// many rounds, from the least bound that can be kept.
func (d *roundCounter) listRestBounds() {
	lowest, highest := 0.0, 0.0
	for i := range d.Items {
		s := &d.Items[i]
		lowest = max(lowest, s.secondsLeftAfter(d.maxRoundsOf(s)))
		highest = max(highest, s.secondsLeftAfter(d.minRounds[i]))
	}
	d.restBounds = append(d.restBounds, highest)
	if d.LongestRestCost > 0 {
		lowest = d.leastKeptBound(lowest, highest)
		d.restBounds = append(d.restBounds, lowest)
		for i := range d.Items {
			s := &d.Items[i]
			for y := d.maxRoundsOf(s); y >= d.minRounds[i] && s.secondsLeftAfter(y) < highest; y-- {
				if at := s.secondsLeftAfter(y); at >= lowest-1e-6*(1+lowest) { // lowest is not exact
					d.restBounds = append(d.restBounds, at)
				}
			}
		}
	}
	slices.Sort(d.restBounds)
	d.restBounds = slices.Compact(d.restBounds)
}

// leastKeptBound returns the least bound that there are rounds enough to keep, to a
// second or less.
func (d *roundCounter) leastKeptBound(lo, hi float64) float64 {
	if d.roomNeeded(lo) <= d.totalRoom {
		return lo
	}
	for hi-lo > 1e-9*(1+hi) {
		if mid := lo + (hi-lo)/2; d.roomNeeded(mid) <= d.totalRoom {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// roomNeeded returns the devices times rounds it takes to keep the bound.
func (d *roundCounter) roomNeeded(bound float64) int {
	n := 0
	for i := range d.Items {
		n += d.requiredRounds(i, bound) * d.Items[i].DevicesPerRound
	}
	return n
}

// requiredRounds returns the rounds the item needs to keep the bound.
func (d *roundCounter) requiredRounds(i int, bound float64) int {
	s := &d.Items[i]
	if s.SecondsLeft <= bound || s.SecondsCutPerRound <= 0 {
		return d.minRounds[i]
	}
	y := math.Ceil((s.SecondsLeft - bound) / s.SecondsCutPerRound)
	if y > 1 && s.secondsLeftAfter(int(y)-1) <= bound { // the quotient was rounded up
		y--
	}
	return max(d.minRounds[i], min(int(y), d.maxRoundsOf(s)))
}

// fillGreedily gives every item what keeps the bound, the others by worth, and returns
// the value.
func (d *roundCounter) fillGreedily(bound float64) float64 {
	room := d.totalRoom
	for i := range d.Items {
		d.roundCounts[i] = d.requiredRounds(i, bound)
		room -= d.roundCounts[i] * d.Items[i].DevicesPerRound
	}
	if room < 0 {
		return math.Inf(-1)
	}
	d.fillByWorth(room)
	return d.Value(d.roundCounts)
}

// fillByWorth gives out the room by worth and returns what is left of it. Where the
// next round of an item does not fit, its later ones do not either.
func (d *roundCounter) fillByWorth(room int) int {
	for _, u := range d.itemRounds {
		if room == 0 {
			break
		}
		if size := d.Items[u.itemIndex].DevicesPerRound; u.worthPerDevice > 0 && d.roundCounts[u.itemIndex] == int(u.roundNumber)-1 && size <= room {
			d.roundCounts[u.itemIndex]++
			room -= size
		}
	}
	return room
}
