package leases

import (
	"cmp"
	"slices"
)

// Free is how many devices are free from the present lease on: a list of changes, the first at 0, the last without end.
type Free []Step

// Step is a number of free devices from a lease on.
type Step struct{ From, Devices int }

// NewFree is as many devices in every lease.
func NewFree(devices int) Free { return Free{{0, devices}} }

// end is where a step ends; the last ends at a limit.
func (f Free) end(i, limit int) int {
	if i+1 < len(f) {
		return min(f[i+1].From, limit)
	}
	return limit
}

// At is how many are free in a lease.
func (f Free) At(lease int) int {
	i, found := f.find(lease)
	if !found {
		i--
	}
	return f[i].Devices
}

func (f Free) find(lease int) (int, bool) {
	return slices.BinarySearchFunc(f, lease, func(s Step, lease int) int { return cmp.Compare(s.From, lease) })
}

// splitAt lets a step begin at a lease, and returns its place.
func (f *Free) splitAt(lease int) int {
	i, found := f.find(lease)
	if !found {
		*f = slices.Insert(*f, i, Step{lease, (*f)[i-1].Devices})
	}
	return i
}

// Add makes n devices more free from a lease until before another, or fewer.
func (f *Free) Add(s Span, n int) {
	if s.To <= s.From || n == 0 {
		return
	}
	first, last := f.splitAt(s.From), f.splitAt(s.To)
	for i := first; i < last; i++ {
		(*f)[i].Devices += n
	}
	f.join(last)
	f.join(first)
}

// join drops a step that changes nothing.
func (f *Free) join(i int) {
	if i > 0 && (*f)[i].Devices == (*f)[i-1].Devices {
		*f = slices.Delete(*f, i, i+1)
	}
}

// AddFrom makes n devices more free from a lease on for ever.
func (f *Free) AddFrom(lease, n int) {
	for i := f.splitAt(lease); i < len(*f); i++ {
		(*f)[i].Devices += n
	}
}

// Cap leaves at most so many free at any time.
func (f Free) Cap(most int) {
	for i := range f {
		f[i].Devices = min(f[i].Devices, most)
	}
}

// Take takes devices in spans.
func (f *Free) Take(spans []Span, devices int) {
	for _, s := range spans {
		f.Add(s, -devices)
	}
}

// GiveBack gives back what Take took.
func (f *Free) GiveBack(spans []Span, devices int) { f.Take(spans, -devices) }

// Has reports whether as many devices are free in all of the spans.
func (f Free) Has(spans []Span, devices int) bool {
	for _, s := range spans {
		i, found := f.find(s.From)
		if !found {
			i--
		}
		for ; i < len(f) && f[i].From < s.To; i++ {
			if f[i].Devices < devices {
				return false
			}
		}
	}
	return true
}
