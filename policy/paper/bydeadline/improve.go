package bydeadline

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
)

// mostImproved is how many jobs at the head of the line are tried in other places.
const mostImproved = 32

// improve moves waiting jobs by a place, to the head or to the end of those that are tried, where the predicted
// schedule of those is then worth more; so many moves are tried at most.
func (l line) improve(r *engine.Round, trials int) {
	head := l.waiting(r)
	head = head[:min(len(head), mostImproved)]
	if len(head) < 2 || trials == 0 {
		return
	}
	head.climb(newRoom(r, l), trials)
}

// climb moves jobs as long as that is worth something.
func (l line) climb(m *room, trials int) {
	best := m.worthOf(l)
	for changed := true; changed && trials > 0; {
		changed = false
		for from := range l {
			for _, to := range [...]int{from + 1, 0, len(l) - 1} {
				if to == from || to >= len(l) || trials == 0 {
					continue
				}
				trials--
				l.move(from, to)
				if got := m.worthOf(l); got > best+1e-9 {
					best, changed = got, true
				} else {
					l.move(to, from)
				}
			}
		}
	}
}

// waiting returns the part of the line that may start.
func (l line) waiting(r *engine.Round) line {
	first := slices.IndexFunc(l, func(v valued) bool { return v.class(r) == 1 })
	if first < 0 {
		return nil
	}
	rest := l[first:]
	if n := slices.IndexFunc(rest, func(v valued) bool { return v.class(r) != 1 }); n >= 0 {
		rest = rest[:n]
	}
	return rest
}

// move takes the job at one place out and puts it at another.
func (l line) move(from, to int) {
	v := l[from]
	if from < to {
		copy(l[from:to], l[from+1:to+1])
	} else {
		copy(l[to+1:from+1], l[to:from])
	}
	l[to] = v
}

// room is GPUs by number, and when running jobs give theirs back.
type room struct {
	free   map[string]int // by type; "": the type with most GPUs
	common string
	ends   []release // the first first
}

// release is GPUs that come free.
type release struct {
	at      float64 // seconds from now
	gpuType string
	gpus    int
}

func compareReleases(a, b release) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.gpuType, b.gpuType), cmp.Compare(a.gpus, b.gpus))
}

func newRoom(r *engine.Round, all line) *room {
	m := &room{free: map[string]int{}}
	most := 0
	for _, c := range r.ListCapacities(nil) {
		if m.free[c.GPUType] = c.Free; c.Healthy > most {
			most, m.common = c.Healthy, c.GPUType
		}
	}
	for i := range all {
		for _, slot := range all[i].On {
			m.ends = append(m.ends, release{all[i].length, slot.Type, slot.Count})
		}
	}
	slices.SortFunc(m.ends, compareReleases)
	return m
}

// worthOf returns what the jobs are worth if they start one after the other, each as soon as there are
// GPUs enough by number; those that never find any count as nothing.
func (m *room) worthOf(jobs line) float64 {
	free, ends, now, total := make(map[string]int, len(m.free)), slices.Clone(m.ends), 0., 0.
	for gpuType, n := range m.free {
		free[gpuType] = n
	}
	for i := range jobs {
		v := &jobs[i]
		gpuType := cmp.Or(v.Ask.GPUs.Type, m.common)
		for free[gpuType] < v.Ask.GPUs.Count && len(ends) > 0 {
			now = max(now, ends[0].at)
			free[ends[0].gpuType] += ends[0].gpus
			ends = ends[1:]
		}
		if free[gpuType] < v.Ask.GPUs.Count {
			continue
		}
		free[gpuType] -= v.Ask.GPUs.Count
		done := release{now + v.length, gpuType, v.Ask.GPUs.Count}
		at, _ := slices.BinarySearchFunc(ends, done, compareReleases)
		ends = slices.Insert(ends, at, done)
		total += v.at(done.at)
	}
	return total
}
