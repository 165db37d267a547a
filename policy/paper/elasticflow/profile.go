package elasticflow

import (
	"math"
	"slices"
)

// profile is how many devices of a type are free from now on: piece after piece, the last
// without end.
type profile []piece

// piece begins so many seconds from now and lasts until the next one.
type piece struct {
	from float64
	free int
}

// step is a stretch of a plan: so many devices until so many seconds from now.
type step struct {
	until float64
	gpus  int
}

func newProfile(free int) profile { return profile{{0, free}} }

// endOf is when a piece ends.
func (p profile) endOf(i int) float64 {
	if i+1 < len(p) {
		return p[i+1].from
	}
	return math.Inf(1)
}

// splitAt lets a piece begin at a time, and returns its place.
func (p *profile) splitAt(t float64) int {
	i, found := slices.BinarySearchFunc(*p, t, func(a piece, t float64) int {
		switch {
		case a.from < t:
			return -1
		case a.from > t:
			return 1
		}
		return 0
	})
	if !found {
		*p = slices.Insert(*p, i, piece{t, (*p)[i-1].free})
	}
	return i
}

// add makes n devices more free from one time until another, or fewer.
func (p *profile) add(from, until float64, n int) {
	if until <= from || n == 0 {
		return
	}
	first := p.splitAt(from)
	last := len(*p)
	if !math.IsInf(until, 1) {
		last = p.splitAt(until)
	}
	for i := first; i < last; i++ {
		(*p)[i].free += n
	}
}

// take takes what a plan needs.
func (p *profile) take(steps []step) {
	from := 0.0
	for _, s := range steps {
		p.add(from, s.until, -s.gpus)
		from = s.until
	}
}

// holds reports whether a plan finds its devices free.
func (p profile) holds(steps []step) bool {
	for i := range p {
		from := 0.0
		for _, s := range steps {
			if s.gpus > p[i].free && from < p.endOf(i) && p[i].from < s.until {
				return false
			}
			from = s.until
		}
	}
	return true
}
