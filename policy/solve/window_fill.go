package solve

import (
	"math"
	"slices"
)

// bound lists the bounds on the longest rest: what is left of a job after so
// many rounds, from the least bound that can be kept.
func (d *division) bound() {
	lowest, highest := 0.0, 0.0
	for i := range d.Stakes {
		s := &d.Stakes[i]
		lowest = max(lowest, s.left(d.most(s)))
		highest = max(highest, s.left(d.least[i]))
	}
	d.bounds = append(d.bounds, highest)
	if d.Tail > 0 {
		lowest = d.lowest(lowest, highest)
		for i := range d.Stakes {
			s := &d.Stakes[i]
			for y := d.most(s); y > d.least[i] && s.left(y) < highest; y-- {
				if at := s.left(y); at >= lowest {
					d.bounds = append(d.bounds, at)
				}
			}
		}
	}
	slices.Sort(d.bounds)
	d.bounds = slices.Compact(d.bounds)
}

// lowest returns the least bound that there are rounds enough to keep, to a
// second or less.
func (d *division) lowest(lo, hi float64) float64 {
	if d.needs(lo) <= d.room {
		return lo
	}
	for hi-lo > 1e-9*(1+hi) {
		if mid := lo + (hi-lo)/2; d.needs(mid) <= d.room {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// needs returns the devices times rounds it takes to keep the bound.
func (d *division) needs(bound float64) int {
	n := 0
	for i := range d.Stakes {
		n += d.must(i, bound) * d.Stakes[i].Size
	}
	return n
}

// must returns the rounds the job needs to keep the bound.
func (d *division) must(i int, bound float64) int {
	s := &d.Stakes[i]
	if s.Left <= bound || s.Cut <= 0 {
		return d.least[i]
	}
	y := math.Ceil((s.Left - bound) / s.Cut)
	if y > 1 && s.left(int(y)-1) <= bound { // the quotient was rounded up
		y--
	}
	return max(d.least[i], min(int(y), d.most(s)))
}

// fill gives every job what keeps the bound, the others by worth, and returns
// the value.
func (d *division) fill(bound float64) float64 {
	room := d.room
	for i := range d.Stakes {
		d.y[i] = d.must(i, bound)
		room -= d.y[i] * d.Stakes[i].Size
	}
	if room < 0 {
		return math.Inf(-1)
	}
	d.spend(room)
	return d.Value(d.y)
}

// spend gives out the room by worth and returns what is left of it. Where the
// next round of a job does not fit, its later ones do not either.
func (d *division) spend(room int) int {
	for _, u := range d.units {
		if room == 0 {
			break
		}
		if size := d.Stakes[u.job].Size; u.worth > 0 && d.y[u.job] == int(u.nth)-1 && size <= room {
			d.y[u.job]++
			room -= size
		}
	}
	return room
}

// exchange makes up for rounds that did not fit where they were worth most: it
// takes one round from a job of each size, or makes room for one of each size,
// spends the room anew, and keeps what is better, until nothing is.
func (d *division) exchange(bound float64) {
	sizes := d.sizes()
	if len(sizes) < 2 {
		return
	}
	floor := make([]int, len(d.y))
	for i := range floor {
		floor[i] = d.must(i, bound)
	}
	value, kept := d.Value(d.y), slices.Clone(d.y)
	for again, n := true, 0; again && n < 20; n++ {
		again = false
		for _, size := range sizes {
			for _, change := range []func(int, []int) bool{d.without, d.with} {
				if !change(size, floor) {
					continue
				}
				d.spend(d.room - d.used())
				if v := d.Value(d.y); v > value+1e-12*math.Abs(value) {
					value, again = v, true
					copy(kept, d.y)
				}
				copy(d.y, kept)
			}
		}
	}
}

func (d *division) sizes() []int {
	var sizes []int
	for i := range d.Stakes {
		if at, ok := slices.BinarySearch(sizes, d.Stakes[i].Size); !ok && d.most(&d.Stakes[i]) > 0 {
			sizes = slices.Insert(sizes, at, d.Stakes[i].Size)
		}
	}
	return sizes
}

func (d *division) used() int {
	n := 0
	for i, y := range d.y {
		n += y * d.Stakes[i].Size
	}
	return n
}

// without takes the round that is worth least from a job of the size.
func (d *division) without(size int, floor []int) bool {
	for _, u := range slices.Backward(d.units) {
		if d.Stakes[u.job].Size == size && d.y[u.job] == int(u.nth) && d.y[u.job] > floor[u.job] {
			d.y[u.job]--
			return true
		}
	}
	return false
}

// with gives the job of the size to which it is worth most one round more, and
// takes room for it from other sizes, where it is worth least.
func (d *division) with(size int, floor []int) bool {
	at := slices.IndexFunc(d.units, func(u unit) bool {
		return d.Stakes[u.job].Size == size && d.y[u.job] == int(u.nth)-1
	})
	if at < 0 {
		return false
	}
	d.y[d.units[at].job]++
	over := d.used() - d.room
	for _, u := range slices.Backward(d.units) {
		if over <= 0 {
			return true
		}
		if s := d.Stakes[u.job].Size; s != size && d.y[u.job] == int(u.nth) && d.y[u.job] > floor[u.job] {
			d.y[u.job]--
			over -= s
		}
	}
	return over <= 0
}
