// Package queues divides an amount among claims by weighted fair queues: each class of claims
// has a rate, the share of the whole it is sure of; what a class cannot use goes to the others
// in proportion to theirs; within a class the first come are served first. So what comes later
// delays what came earlier by at most what the other classes are owed.
//
// A. B. Faisal, N. Martin, H. M. Bashir, S. Lamelas, F. R. Dogar, "When will my ML Job finish?
// Toward providing Completion Time Estimates through Predictability-Centric Scheduling",
// OSDI 2024.
package queues

import (
	"cmp"
	"slices"
)

// negligible is so little that it is no longer divided.
const negligible = 1e-3

// dust is what is left over of sums in floating point.
const dust = 1e-9

// Claim is what one job can use of the amount.
type Claim struct {
	Class int     // 0 is the first; a class beyond the rates counts to the last
	Most  float64 // it can use
	// EfficientMost returns the most on which each part of it does at least so much of what the
	// first does, 0 to 1; nil: Most, whatever is asked.
	EfficientMost func(efficiency float64) float64
}

// Settings are how the amount is divided.
type Settings struct {
	Rates []float64 // by class, positive; only their ratios matter
	// Clip is the efficiency below which no claim of a class is given more while others of
	// the class have less than they can use efficiently, 0 to 1; 0: none is held back.
	Clip float64
	// Delta is by how much Clip is lowered where something is left over; 0: to nothing at once.
	Delta float64
}

// Divide returns what each claim gets, in their order, the first of each class served first.
// Nothing is left over that a claim could use, but for a negligible rest (1e-3); without rates
// none gets anything.
func Divide(total float64, claims []Claim, s Settings) []float64 {
	shares := make([]float64, len(claims))
	if len(s.Rates) == 0 {
		return shares
	}
	for class, amount := range divideAmongClasses(total, claims, s.Rates) {
		s.serveClass(class, amount, claims, shares)
	}
	return shares
}

func (c *Claim) classIn(rates []float64) int { return min(max(c.Class, 0), len(rates)-1) }

// divideAmongClasses gives each class its rate of the total, and what some do not need to
// the others by their rates.
func divideAmongClasses(total float64, claims []Claim, rates []float64) []float64 {
	unmet, given := make([]float64, len(rates)), make([]float64, len(rates))
	for i := range claims {
		unmet[claims[i].classIn(rates)] += claims[i].Most
	}
	for left := total; left >= negligible; {
		ratesOfUnmet := 0.0
		for class, rate := range rates {
			if unmet[class] > 0 {
				ratesOfUnmet += rate
			}
		}
		if !(ratesOfUnmet > 0) {
			break
		}
		left -= giveOnce(left, ratesOfUnmet, rates, unmet, given)
	}
	return given
}

// giveOnce divides the amount once by the rates of those that can still use something, and
// returns how much of it they took.
func giveOnce(amount, ratesOfUnmet float64, rates, unmet, given []float64) (taken float64) {
	for class, rate := range rates {
		if unmet[class] <= 0 {
			continue
		}
		part := min(amount*rate/ratesOfUnmet, unmet[class])
		unmet[class] -= part
		given[class] += part
		taken += part
	}
	return taken
}

// serveClass divides what a class got among its claims, the first come first: of each first
// what is efficient, and what is left over by less and less efficiency.
func (s *Settings) serveClass(class int, left float64, claims []Claim, shares []float64) {
	for clip := s.Clip; ; clip -= s.Delta {
		for i := range claims {
			if c := &claims[i]; c.classIn(s.Rates) == class {
				part := min(left, c.most(clip)-shares[i])
				if part < dust {
					continue
				}
				shares[i] += part
				left -= part
			}
		}
		switch {
		case left < dust || clip <= 0:
			return
		case s.Delta <= 0:
			clip = 0
		}
	}
}

func (c *Claim) most(clip float64) float64 {
	if clip <= 0 || c.EfficientMost == nil {
		return c.Most
	}
	return min(c.Most, c.EfficientMost(clip))
}

// ClassOf returns the class of a size: the first whose threshold is at least as large, and
// the one beyond them all for larger ones. Thresholds ascend.
func ClassOf(size float64, thresholds []float64) int {
	for class, most := range thresholds {
		if size <= most {
			return class
		}
	}
	return len(thresholds)
}

// ClassByLoad returns the class of a size where classes are told apart by the work of all that
// was seen: those of the first class have together the first part of it, those of the first two
// the second, and so on. A size counts to where the middle of its own work is. Parts ascend.
func ClassByLoad(size float64, seen, parts []float64) int {
	below, all := size/2, size
	for _, s := range seen {
		if s < size {
			below += s
		}
		all += s
	}
	return ClassOf(below/all, parts)
}

// RatesOfShares returns the rate of each class from the shares of the whole that the first class
// is sure of, the first two together, and so on; the one beyond has the rest.
func RatesOfShares(shares []float64) []float64 {
	rates, before := make([]float64, len(shares)+1), 0.0
	for i, share := range shares {
		rates[i], before = share-before, share
	}
	rates[len(shares)] = 1 - before
	return rates
}

// roundingError is what a share may lack of a whole number and still be it.
const roundingError = 1e-9

// Whole turns shares into whole units: each claim gets the most it can have within its share,
// then those that are nearest to their next number get it, then the first in order what is
// left. next returns the smallest number above one that a claim can have; 0: none. A claim for
// all or nothing has one such number.
func Whole(total int, shares []float64, next func(claim, units int) int) []int {
	given, order := make([]int, len(shares)), make([]int, len(shares))
	left := total
	for i, share := range shares {
		order[i] = i
		for n := next(i, 0); n > 0 && float64(n) <= share+roundingError && n-given[i] <= left; n = next(i, n) {
			left -= n - given[i]
			given[i] = n
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b]-float64(given[b]), shares[a]-float64(given[a])) })
	for _, i := range order {
		if n := next(i, given[i]); shares[i] > float64(given[i])+roundingError && n > 0 && n-given[i] <= left {
			left -= n - given[i]
			given[i] = n
		}
	}
	for i := range shares {
		for n := next(i, given[i]); n > 0 && n-given[i] <= left; n = next(i, n) {
			left -= n - given[i]
			given[i] = n
		}
	}
	return given
}
