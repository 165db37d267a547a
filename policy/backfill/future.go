package backfill

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// freeForecast is what will be free of every GPU type, and of whole GPUs of all types
// together.
type freeForecast struct {
	typeForecasts []typeForecast
}

// typeForecast is one GPU type, or "" for all that are whole.
type typeForecast struct {
	gpuType    string
	isWholeGPU bool
	freeSteps  freeSteps
}

// freeSteps are numbers of free devices from moments on, in order of time.
type freeSteps []freeStep

type freeStep struct {
	from        time.Duration
	freeDevices int
}

func newFreeForecast(r *engine.Round) *freeForecast {
	f := &freeForecast{typeForecasts: []typeForecast{{"", true, freeSteps{{0, r.FreePool.TotalFree("")}}}}}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			if f.indexOfType(d.Type) < 0 {
				f.typeForecasts = append(f.typeForecasts, typeForecast{d.Type, d.PartPercent == 0 || d.PartPercent == 100, freeSteps{{0, r.FreePool.TotalFree(d.Type)}}})
			}
		}
	}
	return f
}

func (f *freeForecast) indexOfType(typ string) int {
	return slices.IndexFunc(f.typeForecasts, func(k typeForecast) bool { return k.gpuType == typ })
}

// stepsOfType returns the steps of a type; those of a type that no node has are empty.
func (f *freeForecast) stepsOfType(typ string) freeSteps {
	if i := f.indexOfType(typ); i >= 0 {
		return f.typeForecasts[i].freeSteps
	}
	return nil
}

// reservableSteps returns what can be reserved of a type: what is free of it, but no more
// than of all whole GPUs together, of which jobs of any type have some.
func (f *freeForecast) reservableSteps(typ string) freeSteps {
	own := f.stepsOfType(typ)
	if typ == "" || !f.isWholeGPU(typ) {
		return own
	}
	return own.minimumWith(f.stepsOfType(""))
}

// minimumWith returns the lesser of both at every moment; both begin now.
func (s freeSteps) minimumWith(o freeSteps) freeSteps {
	out := make(freeSteps, 0, len(s)+len(o))
	for i, k := 0, 0; i < len(s) && k < len(o); {
		out = append(out, freeStep{max(s[i].from, o[k].from), min(s[i].freeDevices, o[k].freeDevices)})
		switch {
		case i+1 < len(s) && (k+1 == len(o) || s[i+1].from < o[k+1].from):
			i++
		case k+1 < len(o) && (i+1 == len(s) || o[k+1].from < s[i+1].from):
			k++
		default:
			i, k = i+1, k+1
		}
	}
	return out
}

// countByType yields what an allocation takes of each kind.
func (f *freeForecast) countByType(on policy.Alloc) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for _, k := range f.typeForecasts {
			n := 0
			for _, slot := range on {
				if slot.Type == k.gpuType || k.gpuType == "" && f.isWholeGPU(slot.Type) {
					n += slot.Count
				}
			}
			if n > 0 && !yield(k.gpuType, n) {
				return
			}
		}
	}
}

func (f *freeForecast) isWholeGPU(typ string) bool {
	i := f.indexOfType(typ)
	return i >= 0 && f.typeForecasts[i].isWholeGPU
}

// addRelease notes that devices get free; sumReleases then puts all that in order.
func (f *freeForecast) addRelease(slot policy.Slot, at time.Duration) {
	for i := range f.typeForecasts {
		if k := &f.typeForecasts[i]; k.gpuType == slot.Type || k.gpuType == "" && f.isWholeGPU(slot.Type) {
			k.freeSteps = append(k.freeSteps, freeStep{at, slot.Count})
		}
	}
}

// sumReleases turns releases into sums.
func (f *freeForecast) sumReleases() {
	for i := range f.typeForecasts {
		s := f.typeForecasts[i].freeSteps
		slices.SortStableFunc(s[1:], func(a, b freeStep) int { return cmp.Compare(a.from, b.from) })
		out := s[:1]
		for _, next := range s[1:] {
			last := &out[len(out)-1]
			if last.from == next.from {
				last.freeDevices += next.freeDevices
				continue
			}
			out = append(out, freeStep{next.from, last.freeDevices + next.freeDevices})
		}
		f.typeForecasts[i].freeSteps = out
	}
}

// reserve takes devices for a while. Those of a type are also among all whole
// ones.
func (f *freeForecast) reserve(typ string, n int, from, length time.Duration) {
	for i := range f.typeForecasts {
		if k := &f.typeForecasts[i]; k.gpuType == typ || k.gpuType == "" && f.isWholeGPU(typ) {
			k.freeSteps = k.freeSteps.subtract(n, from, from+length)
		}
	}
}

func (s freeSteps) subtract(n int, from, to time.Duration) freeSteps {
	s = s.splitAt(from).splitAt(to)
	for i := range s {
		if s[i].from >= from && s[i].from < to {
			s[i].freeDevices -= n
		}
	}
	return s
}

// splitAt makes a step begin at the moment.
func (s freeSteps) splitAt(at time.Duration) freeSteps {
	i, found := slices.BinarySearchFunc(s, at, func(x freeStep, at time.Duration) int { return cmp.Compare(x.from, at) })
	if found || i == 0 {
		return s
	}
	return slices.Insert(s, i, freeStep{at, s[i-1].freeDevices})
}

// startingAt leaves what is free from a moment on, behind the present.
func (s freeSteps) startingAt(at time.Duration) freeSteps {
	s = slices.Clone(s).splitAt(at)
	i := slices.IndexFunc(s, func(x freeStep) bool { return x.from >= at })
	return append(freeSteps{{0, 0}}, s[i:]...)
}

// earliestRoom returns the first moment after now from which n devices stay free
// for so long.
func (s freeSteps) earliestRoom(n int, length time.Duration) (from time.Duration, ok bool) {
	found := -1
	for i := 1; i < len(s); i++ {
		if s[i].freeDevices < n {
			found = -1
			continue
		}
		if found < 0 {
			found = i
		}
		if i+1 == len(s) || s[i+1].from >= s[found].from+length {
			return s[found].from, true
		}
	}
	return 0, false
}

// firstShortage returns the first moment between two at which fewer than n are free.
func (s freeSteps) firstShortage(n int, from, to time.Duration) (at time.Duration, ok bool) {
	for i, x := range s {
		if x.from >= to {
			break
		}
		if ends := i+1 < len(s) && s[i+1].from <= from; !ends && x.freeDevices < n {
			return max(x.from, from), true
		}
	}
	return 0, false
}

// setAsideNodes is what nodes that are set aside for a time mean for numbers of GPUs:
// what is free on them when that begins is not free meanwhile, and what comes
// back meanwhile comes back at its end.
type setAsideNodes struct {
	*engine.Round
	freedSlotsByNode map[string][]freedSlot // by node with windows
}

// freedSlot is devices of a node that come free.
type freedSlot struct {
	policy.Slot
	freedAt time.Duration
}

// newSetAsideNodes also tells the future when nodes that are down for the time come
// back.
func newSetAsideNodes(r *engine.Round, f *freeForecast) *setAsideNodes {
	a := &setAsideNodes{r, map[string][]freedSlot{}}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		at, ok := a.upFrom(n)
		if len(n.Windows) == 0 || !ok {
			continue
		}
		a.freedSlotsByNode[n.Name] = nil
		for _, d := range n.GPUs {
			slot := policy.Slot{Node: n.Name, Type: d.Type, Count: r.FreePool.FreeOnNode(n.Name, d.Type)}
			a.freedSlotsByNode[n.Name] = append(a.freedSlotsByNode[n.Name], freedSlot{slot, at})
			if at > 0 {
				f.addRelease(slot, at)
			}
		}
	}
	return a
}

// upFrom returns when the node is up; ok is false when that is not known.
func (a *setAsideNodes) upFrom(n *policy.Node) (at time.Duration, ok bool) {
	for _, w := range n.Windows {
		if w.IsUnderWay {
			_, at = a.windowFromNow(w)
		}
	}
	return at, n.DownReason == "" || at > 0
}

// freeFrom returns when devices that a job gives back at a moment are free for
// others.
func (a *setAsideNodes) freeFrom(slot policy.Slot, at time.Duration) time.Duration {
	if _, ok := a.freedSlotsByNode[slot.Node]; !ok {
		return at
	}
	for _, w := range a.Node(slot.Node).Windows {
		if from, to := a.windowFromNow(w); w.CPUs == 0 && w.GPUs == 0 && from <= at && at < to {
			at = to
		}
	}
	a.freedSlotsByNode[slot.Node] = append(a.freedSlotsByNode[slot.Node], freedSlot{slot, at})
	return at
}

// windowFromNow returns the window's time from now; one without end lasts a year.
func (a *setAsideNodes) windowFromNow(w policy.Window) (from, to time.Duration) {
	from, to = max(w.From.Sub(a.Now), 0), runTimeWithoutLimit
	if !w.To.IsZero() {
		to = w.To.Sub(a.Now)
	}
	return from, to
}

// subtractWindows takes what is free on a node when it is set aside.
func (a *setAsideNodes) subtractWindows(f *freeForecast) {
	for i := range a.Nodes {
		for _, w := range a.Nodes[i].Windows {
			from, to := a.windowFromNow(w)
			for _, b := range a.freedSlotsByNode[a.Nodes[i].Name] {
				n := b.Count
				if w.GPUs > 0 || w.CPUs > 0 {
					n = min(n, w.GPUs)
				}
				if n > 0 && b.freedAt <= from && to > from && !w.IsUnderWay {
					f.reserve(b.Type, n, from, to-from)
				}
			}
		}
	}
}
