package sim

import (
	"slices"
	"time"
)

// forever is the length of a job without a limit, as backfill sees it.
const forever = 365 * 24 * time.Hour

// point is what is free on a node from a moment on.
type point struct {
	at time.Time
	room
}

// timeline is a node's future.
type timeline []point

// least returns the room that lasts from one moment to another.
func (t timeline) least(from, to time.Time) room {
	var r room
	first := true
	for i, p := range t {
		if !p.at.Before(to) {
			break
		}
		if i+1 < len(t) && !t[i+1].at.After(from) {
			continue
		}
		if first {
			r, first = p.room, false
			continue
		}
		for k := range r.gpus {
			r.gpus[k] = min(r.gpus[k], p.gpus[k])
		}
		r.cpus, r.mem, r.jobs = min(r.cpus, p.cpus), min(r.mem, p.mem), max(r.jobs, p.jobs)
	}
	return r
}

// change adds (sign 1) or takes (sign -1) a slot between two moments.
func (t *timeline) change(s slot, sign int, from, to time.Time) {
	t.split(from)
	t.split(to)
	for i := range *t {
		p := &(*t)[i]
		if p.at.Before(from) || !p.at.Before(to) {
			continue
		}
		if s.typ >= 0 {
			p.gpus[s.typ] += sign * s.gpus
		}
		p.cpus += sign * s.cpus
		p.mem += int64(sign) * s.mem
		p.jobs -= sign
	}
}

func (t *timeline) split(at time.Time) {
	for i, p := range *t {
		if p.at.Equal(at) || i == 0 && at.Before(p.at) {
			return
		}
		if p.at.After(at) {
			*t = slices.Insert(*t, i, point{at, (*t)[i-1].room})
			return
		}
	}
	*t = append(*t, point{at, (*t)[len(*t)-1].room})
}

// future is what a backfill pass knows of times to come.
type future struct {
	nodes []timeline  // by node index
	times []time.Time // moments at which something gets free, ascending
	tried map[shape]int
}

// shape is what makes two jobs the same to backfill: the second cannot start
// before the first.
type shape struct {
	ask
	limit time.Duration
	p     *partition
	pick  string // features and excluded nodes
}

// backfill starts jobs out of order where that delays nobody ahead of them:
// every tested job gets a reservation (conservative backfill).
func (w *World) backfill() {
	if !w.news(w.lastBF) {
		w.lastBF = w.now
		return
	}
	w.lastBF = w.now
	f := w.foresee()
	for _, j := range w.order {
		j.expect, j.planned = time.Time{}, nil
	}
	for i, e := range w.line() {
		if i >= w.cfg.BackfillDepth {
			break
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
	f := &future{nodes: make([]timeline, len(w.nodes)), times: []time.Time{w.now}, tried: map[shape]int{}}
	for _, n := range w.nodes {
		f.nodes[n.index] = timeline{{w.now, n.room()}}
	}
	for _, j := range w.order {
		if len(j.slots) == 0 {
			continue
		}
		end := w.ends(j)
		f.times = append(f.times, end)
		for _, s := range j.slots {
			f.nodes[s.n.index].change(s, 1, end, w.now.Add(2*forever))
		}
	}
	slices.SortFunc(f.times, time.Time.Compare)
	f.times = slices.CompactFunc(f.times, time.Time.Equal)
	return f
}

// ends returns when a running job ends at the latest.
func (w *World) ends(j *job) time.Time {
	if j.completing {
		return w.now.Add(time.Second)
	}
	if end := j.start.Add(j.length()); end.After(w.now) {
		return end
	}
	return w.now.Add(time.Second)
}

// length is the job's limit as backfill counts it.
func (j *job) length() time.Duration {
	if j.spec.Limit <= 0 {
		return forever
	}
	return j.spec.Limit
}
