package backfill

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// future is what will be free of every GPU type, and of whole GPUs of all types
// together.
type future struct {
	types []typeForecast
}

// typeForecast is one GPU type, or "" for all that are whole.
type typeForecast struct {
	typ   string
	whole bool
	steps steps
}

// steps are numbers of free devices from moments on, in order of time.
type steps []step

type step struct {
	at   time.Duration
	free int
}

func newFuture(r *engine.Round) *future {
	f := &future{types: []typeForecast{{"", true, steps{{0, r.Free.TotalFree("")}}}}}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			if f.find(d.Type) < 0 {
				f.types = append(f.types, typeForecast{d.Type, d.PartPercent == 0 || d.PartPercent == 100, steps{{0, r.Free.TotalFree(d.Type)}}})
			}
		}
	}
	return f
}

func (f *future) find(typ string) int {
	return slices.IndexFunc(f.types, func(k typeForecast) bool { return k.typ == typ })
}

// stepsOf returns the steps of a type; those of a type that no node has are empty.
func (f *future) stepsOf(typ string) steps {
	if i := f.find(typ); i >= 0 {
		return f.types[i].steps
	}
	return nil
}

// reservable returns what can be reserved of a type: what is free of it, but no more
// than of all whole GPUs together, of which jobs of any type have some.
func (f *future) reservable(typ string) steps {
	own := f.stepsOf(typ)
	if typ == "" || !f.isWhole(typ) {
		return own
	}
	return own.minimum(f.stepsOf(""))
}

// minimum is the lesser of both at every moment; both begin now.
func (s steps) minimum(o steps) steps {
	out := make(steps, 0, len(s)+len(o))
	for i, k := 0, 0; i < len(s) && k < len(o); {
		out = append(out, step{max(s[i].at, o[k].at), min(s[i].free, o[k].free)})
		switch {
		case i+1 < len(s) && (k+1 == len(o) || s[i+1].at < o[k+1].at):
			i++
		case k+1 < len(o) && (i+1 == len(s) || o[k+1].at < s[i+1].at):
			k++
		default:
			i, k = i+1, k+1
		}
	}
	return out
}

// countByType yields what an allocation takes of each kind.
func (f *future) countByType(on policy.Alloc) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, k := range f.types {
			n := 0
			for _, slot := range on {
				if slot.Type == k.typ || k.typ == "" && f.isWhole(slot.Type) {
					n += slot.Count
				}
			}
			if n > 0 && !yield(k.typ, n) {
				return
			}
		}
	}
}

func (f *future) isWhole(typ string) bool {
	i := f.find(typ)
	return i >= 0 && f.types[i].whole
}

// release notes that devices get free; settle then puts all that in order.
func (f *future) release(slot policy.Slot, at time.Duration) {
	for i := range f.types {
		if k := &f.types[i]; k.typ == slot.Type || k.typ == "" && f.isWhole(slot.Type) {
			k.steps = append(k.steps, step{at, slot.Count})
		}
	}
}

// sumReleases turns releases into sums.
func (f *future) sumReleases() {
	for i := range f.types {
		s := f.types[i].steps
		slices.SortStableFunc(s[1:], func(a, b step) int { return cmp.Compare(a.at, b.at) })
		out := s[:1]
		for _, next := range s[1:] {
			last := &out[len(out)-1]
			if last.at == next.at {
				last.free += next.free
				continue
			}
			out = append(out, step{next.at, last.free + next.free})
		}
		f.types[i].steps = out
	}
}

// take takes devices for a while. Those of a type are also among all whole
// ones.
func (f *future) take(typ string, n int, from, length time.Duration) {
	for i := range f.types {
		if k := &f.types[i]; k.typ == typ || k.typ == "" && f.isWhole(typ) {
			k.steps = k.steps.take(n, from, from+length)
		}
	}
}

func (s steps) take(n int, from, to time.Duration) steps {
	s = s.splitAt(from).splitAt(to)
	for i := range s {
		if s[i].at >= from && s[i].at < to {
			s[i].free -= n
		}
	}
	return s
}

// splitAt makes a step begin at the moment.
func (s steps) splitAt(at time.Duration) steps {
	i, found := slices.BinarySearchFunc(s, at, func(x step, at time.Duration) int { return cmp.Compare(x.at, at) })
	if found || i == 0 {
		return s
	}
	return slices.Insert(s, i, step{at, s[i-1].free})
}

// from leaves what is free from a moment on, behind the present.
func (s steps) from(at time.Duration) steps {
	s = slices.Clone(s).splitAt(at)
	i := slices.IndexFunc(s, func(x step) bool { return x.at >= at })
	return append(steps{{0, 0}}, s[i:]...)
}

// earliest returns the first moment after now from which n devices stay free
// for so long.
func (s steps) earliest(n int, length time.Duration) (from time.Duration, ok bool) {
	found := -1
	for i := 1; i < len(s); i++ {
		if s[i].free < n {
			found = -1
			continue
		}
		if found < 0 {
			found = i
		}
		if i+1 == len(s) || s[i+1].at >= s[found].at+length {
			return s[found].at, true
		}
	}
	return 0, false
}

// firstShortage returns the first moment between two at which fewer than n are free.
func (s steps) firstShortage(n int, from, to time.Duration) (at time.Duration, ok bool) {
	for i, x := range s {
		if x.at >= to {
			break
		}
		if ends := i+1 < len(s) && s[i+1].at <= from; !ends && x.free < n {
			return max(x.at, from), true
		}
	}
	return 0, false
}
