package sim

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"
)

// The reference: backfill as plainly as it can be said. Every job tries every
// moment, and every moment every node. What plans fast must plan the same.

// slowPoint is what is free on a node from a moment on.
type slowPoint struct {
	at time.Time
	room
}

// slowTimeline is a node's slowFuture.
type slowTimeline []slowPoint

// least returns the room that lasts from one moment to another.
func (t slowTimeline) least(from, to time.Time) room {
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
func (t *slowTimeline) change(s slot, sign int, from, to time.Time) {
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

func (t *slowTimeline) split(at time.Time) {
	for i, p := range *t {
		if p.at.Equal(at) || i == 0 && at.Before(p.at) {
			return
		}
		if p.at.After(at) {
			*t = slices.Insert(*t, i, slowPoint{at, (*t)[i-1].room})
			return
		}
	}
	*t = append(*t, slowPoint{at, (*t)[len(*t)-1].room})
}

// slowFuture is what a backfill pass knows of times to come.
type slowFuture struct {
	nodes []slowTimeline // by node index
	times []time.Time    // moments at which something gets free, ascending
	tried map[slowShape]int
}

// slowShape is what makes two jobs the same to backfill: the second cannot start
// before the first.
type slowShape struct {
	ask
	limit time.Duration
	p     *partition
	pick  string // features and excluded nodes
}

// backfill starts jobs out of order where that delays nobody ahead of them:
// every tested job gets a reservation (conservative backfill).
func (w *World) slowBackfill() {
	if !w.news(w.lastBF) {
		w.lastBF = w.Now()
		return
	}
	w.lastBF = w.Now()
	f := w.slowForesee()
	for _, j := range w.order {
		j.expect, j.planned = time.Time{}, nil
	}
	for i, e := range w.line() {
		if i >= w.cfg.BackfillDepth {
			break
		}
		for n := 0; n < 20 && e.j.state == pending && !w.atLimit(e.j); n++ { // bf_max_job_array_resv
			if !w.slowReserve(f, e) || !e.j.unsplit() {
				break
			}
		}
	}
}

// foresee lays out what is free when, if every running job uses its limit.
func (w *World) slowForesee() *slowFuture {
	f := &slowFuture{nodes: make([]slowTimeline, len(w.nodes)), times: []time.Time{w.Now()}, tried: map[slowShape]int{}}
	for _, n := range w.nodes {
		f.nodes[n.index] = slowTimeline{{w.Now(), n.room()}}
	}
	for _, j := range w.order {
		if len(j.slots) == 0 || j.done() && !j.completing {
			continue
		}
		end := w.ends(j)
		f.times = append(f.times, end)
		for _, s := range j.slots {
			f.nodes[s.n.index].change(s, 1, end, w.Now().Add(2*forever))
		}
	}
	slices.SortFunc(f.times, time.Time.Compare)
	f.times = slices.CompactFunc(f.times, time.Time.Equal)
	return f
}

// reserve finds the earliest moment at which the job fits for its whole limit
// and takes the place: it starts the job if that is now, else later jobs must
// plan around it. It reports whether a place was found.
func (w *World) slowReserve(f *slowFuture, e entry) bool {
	j := e.j
	list, ok := candidates(j, e.p)
	if !ok || len(list) == 0 {
		return false
	}
	a, length := j.ask(), j.length()
	var at time.Time
	free := func(n *node) room { return f.nodes[n.index].least(at, at.Add(length)) }
	key := slowShape{a, length, e.p, fmt.Sprint(j.spec.Features, j.spec.Required, j.spec.Excluded)}
	last := w.Now().Add(w.cfg.BackfillWindow)
	for i := f.tried[key]; i < len(f.times) && !f.times[i].After(last); i++ {
		at = f.times[i]
		slots := a.fit(list, free)
		if slots == nil {
			f.tried[key] = i + 1
			continue
		}
		f.book(slots, at, at.Add(length))
		if i == 0 {
			w.start(j, e.p, slots, "backfill")
			return true
		}
		w.promise(j, at, slots)
		return !j.unsplit() // one reservation stands for the array
	}
	f.tried[key] = len(f.times)
	return false
}

// book takes the slots out of the slowFuture.
func (f *slowFuture) book(slots []slot, from, to time.Time) {
	for _, s := range slots {
		f.nodes[s.n.index].change(s, -1, from, to)
	}
	if i, ok := slices.BinarySearchFunc(f.times, to, time.Time.Compare); !ok {
		f.times = slices.Insert(f.times, i, to)
	}
}

// mixed is a world of several kinds of node, with jobs of every kind.
func mixed(t *testing.T, seed int64, slow bool, log *bytes.Buffer) *World {
	t.Helper()
	c := Config{Seed: seed, Nodes: Uniform(12, "a100", 8), Log: log, Accounts: []Account{{"a", 2}, {"b", 1}}}
	for i := range c.Nodes {
		switch {
		case seed%3 == 0 && i%3 == 1:
			c.Nodes[i].GPUs = []GPUs{{"h100", 8}}
		case seed%3 == 0 && i%5 == 2:
			c.Nodes[i].GPUs = []GPUs{{"h100", 4}, {"a100", 4}}
		}
	}
	if slow {
		c.BackfillInterval = -1
	}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if slow {
		every := 30 * time.Second
		w.Every(w.phase(every), every, w.slowBackfill)
	}
	l := Load{Seed: seed, Jobs: 250, Over: 6 * time.Hour, MaxNodes: 5, Users: []User{{Name: "x", Account: "a"}, {Name: "y", Account: "b"}}}
	for i, a := range l.Make() {
		vary(&a.Spec, seed, i)
		if err := w.Arrive(w.Now().Add(a.After), a.Spec); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// vary makes some of the jobs unusual.
func vary(s *Spec, seed int64, i int) {
	if seed%2 == 0 && i%5 == 0 {
		s.GPUs, s.GPUsPerNode, s.Nodes = s.GPUsPerNode*s.Nodes+i%3, 0, i%2*2
	}
	if seed%3 == 0 && i%4 == 0 {
		s.GPUType = "h100"
	}
	switch {
	case i%17 == 0:
		s.Array, s.ArrayMax = 3, i%2
	case i%29 == 0:
		s.Excluded = []string{"n3"}
	case i%31 == 0 && s.Nodes < 2:
		s.Required = []string{"n4"}
	case i%37 == 0:
		s.Required, s.Nodes = []string{"n2", "n5"}, 3
	case i%11 == 0:
		s.Nodes = min(s.Nodes*3, 10)
	case i%13 == 0:
		s.Exclusive = true
	}
}

func TestBackfillPlansLikeItsReference(t *testing.T) {
	for seed := range int64(4) {
		var a, b bytes.Buffer
		fast, slow := mixed(t, seed, false, &a), mixed(t, seed, true, &b)
		for range 60 { // a look now and then: what is shown includes estimates
			fast.Advance(fast.Now().Add(20 * time.Minute))
			slow.Advance(slow.Now().Add(20 * time.Minute))
			fmt.Fprintf(&a, "%+v\n", fast.Jobs())
			fmt.Fprintf(&b, "%+v\n", slow.Jobs())
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Fatalf("seed %d: differs after %v:\n%s", seed, fast.Now().Sub(fast.Started()), difference(a.String(), b.String()))
			}
			a.Reset()
			b.Reset()
		}
		if _, started, _ := fast.Totals(); started < 200 {
			t.Errorf("seed %d: only %d starts", seed, started)
		}
	}
}

// difference returns the first lines that differ.
func difference(a, b string) string {
	x, y := bytes.Split([]byte(a), []byte("\n")), bytes.Split([]byte(b), []byte("\n"))
	for i := range x {
		if i >= len(y) || !bytes.Equal(x[i], y[i]) {
			return fmt.Sprintf("%.300s\n%.300s", x[i], y[min(i, len(y)-1)])
		}
	}
	return "the first is shorter"
}
