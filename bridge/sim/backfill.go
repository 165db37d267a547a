package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// forever is the length of a job without a limit, as backfill sees it.
const forever = 365 * 24 * time.Hour

// future is what a backfill pass knows of times to come.
type future struct {
	now   int64
	last  int64       // how far it looks
	nodes []timeline  // by node index
	back  [][]release // by node index, while they are laid out
	times []int64     // moments at which something gets free, ascending
	total timeline    // GPUs of all nodes; empty: not needed yet
	kinds map[shape]*kind
	picks map[pick]*places
	stays []stay // scratch
	turns []turn // scratch
}

// pick is what the nodes a job may use depend on.
type pick struct {
	p    *partition
	text string // features, required and excluded nodes
}

// places are the nodes some jobs may use.
type places struct {
	nodes []*node
	ok    bool // those that are required can be used
}

// shape is what makes two jobs the same to backfill: the second cannot start
// before the first.
type shape struct {
	ask
	pick
	limit time.Duration
}

// kind is what is known of a shape in one pass.
type kind struct {
	ask
	*places
	length int64
	from   int64 // no place was found before
}

// backfill starts jobs out of order where that delays nobody ahead of them:
// every tested job gets a reservation (conservative backfill).
func (w *World) backfill() {
	if !w.news(w.lastBF) {
		w.lastBF = w.Now()
		return
	}
	w.lastBF = w.Now()
	f := w.foresee()
	for _, j := range w.order {
		j.expect, j.planned = time.Time{}, nil
	}
	for i, e := range w.line() {
		if i >= w.cfg.BackfillDepth {
			break
		}
		if e.j.spec.Reservation != "" {
			continue // the main pass sees to those
		}
		for n := 0; n < 20 && e.j.state == pending && !w.atLimit(e.j); n++ { // bf_max_job_array_resv
			if !w.reserve(f, e) || !e.j.unsplit() {
				break
			}
		}
	}
}

// foresee lays out what is free when, if every running job uses its limit.
func (w *World) foresee() *future {
	f := &w.future
	f.now, f.last = w.Now().UnixNano(), w.Now().Add(w.cfg.BackfillWindow).UnixNano()
	f.times, f.total = append(f.times[:0], f.now), f.total[:0]
	f.kinds, f.picks = map[shape]*kind{}, map[pick]*places{}
	if f.nodes == nil {
		f.nodes, f.back = make([]timeline, len(w.nodes)), make([][]release, len(w.nodes))
	}
	for _, j := range w.order {
		if len(j.slots) == 0 || j.done() && !j.completing { // a listed job that ended has given back what it shows
			continue
		}
		end := w.ends(j).UnixNano()
		f.times = append(f.times, end)
		for i := range j.slots {
			s := &j.slots[i]
			f.back[s.n.index] = append(f.back[s.n.index], release{end, s})
		}
	}
	for i, n := range w.nodes {
		f.nodes[i] = f.nodes[i].lay(f.now, n.room(), f.back[i])
		f.back[i] = f.back[i][:0]
	}
	w.shut(f)
	slices.Sort(f.times)
	f.times = slices.Compact(f.times)
	return f
}

// kind returns what is known of the job's shape.
func (f *future) kind(e entry) *kind {
	s := &e.j.spec
	key := shape{ask: e.j.ask(), limit: e.j.length(), pick: pick{p: e.p}}
	if s.Features != "" || len(s.Required) > 0 || len(s.Excluded) > 0 {
		key.text = fmt.Sprint(s.Features, s.Required, s.Excluded)
	}
	k := f.kinds[key]
	if k != nil {
		return k
	}
	at := f.picks[key.pick]
	if at == nil {
		at = &places{}
		at.nodes, at.ok = candidates(e.j, e.p)
		f.picks[key.pick] = at
	}
	k = &kind{ask: key.ask, places: at, length: int64(key.limit), from: f.now}
	f.kinds[key] = k
	return k
}

// book takes the slots out of the future.
func (f *future) book(slots []slot, from, to int64) {
	for i := range slots {
		s := &slots[i]
		f.nodes[s.n.index].take(s, from, to)
		if len(f.total) > 0 && s.typ >= 0 {
			f.total.take(&slot{gpus: s.gpus}, from, to)
		}
	}
	if i, ok := slices.BinarySearch(f.times, to); !ok {
		f.times = slices.Insert(f.times, i, to)
	}
}

// whole returns the timeline of the GPUs of all nodes together.
func (f *future) whole() timeline {
	if len(f.total) > 0 {
		return f.total
	}
	type step struct { // the cluster's free GPUs change
		at int64
		by int
	}
	var steps []step
	for _, t := range f.nodes {
		had := 0
		for i := range t {
			n := 0
			for _, g := range t[i].gpus {
				n += g
			}
			steps = append(steps, step{t[i].at, n - had})
			had = n
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	r := room{}
	for i, s := range steps {
		r.gpus[0] += s.by
		if i+1 == len(steps) || steps[i+1].at > s.at {
			f.total = append(f.total, point{s.at, r})
		}
	}
	return f.total
}

// ends returns when a running job ends at the latest.
func (w *World) ends(j *job) time.Time {
	if j.completing {
		return w.Now().Add(time.Second)
	}
	if end := j.start.Add(j.length()); end.After(w.Now()) {
		return end
	}
	return w.Now().Add(time.Second)
}

// length is the job's limit as backfill counts it.
func (j *job) length() time.Duration {
	if j.spec.Limit <= 0 {
		return forever
	}
	return j.spec.Limit
}
