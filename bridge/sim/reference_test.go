package sim_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/backfill"
	"fairbridge/bridge/sim/inventory"
	"fairbridge/bridge/sim/workload"
)

// The reference: backfill as plainly as it can be said. Every job tries every
// moment, and every moment every node. What plans fast must plan the same.

// slowPoint is what is free on a node from a moment on.
type slowPoint struct {
	at time.Time
	inventory.Room
}

// slowTimeline is a node's future.
type slowTimeline []slowPoint

// least returns the room that lasts from one moment to another.
func (t slowTimeline) least(from, to time.Time) inventory.Room {
	var r inventory.Room
	first := true
	for i, p := range t {
		if !p.at.Before(to) {
			break
		}
		if i+1 < len(t) && !t[i+1].at.After(from) {
			continue
		}
		if first {
			r, first = p.Room, false
			continue
		}
		for k := range r.GPUs {
			r.GPUs[k] = min(r.GPUs[k], p.GPUs[k])
		}
		r.CPUs, r.MemMB, r.Jobs = min(r.CPUs, p.CPUs), min(r.MemMB, p.MemMB), max(r.Jobs, p.Jobs)
	}
	return r
}

// change adds (sign 1) or takes (sign -1) a slot between two moments.
func (t *slowTimeline) change(s inventory.Slot, sign int, from, to time.Time) {
	t.split(from)
	t.split(to)
	for i := range *t {
		p := &(*t)[i]
		if p.at.Before(from) || !p.at.Before(to) {
			continue
		}
		if s.Type >= 0 {
			p.GPUs[s.Type] += sign * s.GPUs
		}
		p.CPUs += sign * s.CPUs
		p.MemMB += int64(sign) * s.MemMB
		p.Jobs -= sign
	}
}

func (t *slowTimeline) split(at time.Time) {
	for i, p := range *t {
		if p.at.Equal(at) || i == 0 && at.Before(p.at) {
			return
		}
		if p.at.After(at) {
			*t = slices.Insert(*t, i, slowPoint{at, (*t)[i-1].Room})
			return
		}
	}
	*t = append(*t, slowPoint{at, (*t)[len(*t)-1].Room})
}

// slowPlan is what a backfill pass knows of times to come.
type slowPlan struct {
	now, last time.Time
	nodes     []slowTimeline // by node index
	times     []time.Time    // moments at which something gets free, ascending
	tried     map[slowShape]int
}

// slowShape is what makes two jobs the same to backfill: the second cannot start
// before the first.
type slowShape struct {
	inventory.Ask
	limit time.Duration
	p     *inventory.Partition
	pick  string // features and excluded nodes
}

// Lay lays out what is free when, if every running job uses its limit.
func (f *slowPlan) Lay(now time.Time, window time.Duration, nodes []*inventory.Node, held []backfill.Held, closed []backfill.Closed) {
	if len(closed) > 0 {
		panic("the reference knows no reservations")
	}
	*f = slowPlan{now: now, last: now.Add(window), nodes: make([]slowTimeline, len(nodes)), times: []time.Time{now}, tried: map[slowShape]int{}}
	for _, n := range nodes {
		f.nodes[n.Index] = slowTimeline{{now, n.Room()}}
	}
	for _, h := range held {
		f.times = append(f.times, h.Until)
		for _, s := range h.Slots {
			f.nodes[s.Node.Index].change(s, 1, h.Until, now.Add(2*365*24*time.Hour))
		}
	}
	slices.SortFunc(f.times, time.Time.Compare)
	f.times = slices.CompactFunc(f.times, time.Time.Equal)
}

// Reserve finds the earliest moment at which the task fits for its whole limit
// and takes the place.
func (f *slowPlan) Reserve(t backfill.Task) (inventory.Slots, time.Time) {
	list, ok := t.Partition.Candidates(t.Choice)
	if !ok || len(list) == 0 {
		return nil, time.Time{}
	}
	var at time.Time
	free := func(n *inventory.Node) inventory.Room { return f.nodes[n.Index].least(at, at.Add(t.Limit)) }
	key := slowShape{t.Ask, t.Limit, t.Partition, fmt.Sprint(t.Features, t.Required, t.Excluded)}
	for i := f.tried[key]; i < len(f.times) && !f.times[i].After(f.last); i++ {
		at = f.times[i]
		slots := t.Fit(list, free)
		if slots == nil {
			f.tried[key] = i + 1
			continue
		}
		f.book(slots, at, at.Add(t.Limit))
		return slots, at
	}
	f.tried[key] = len(f.times)
	return nil, time.Time{}
}

// book takes the slots out of the slowPlan.
func (f *slowPlan) book(slots inventory.Slots, from, to time.Time) {
	for _, s := range slots {
		f.nodes[s.Node.Index].change(s, -1, from, to)
	}
	if i, ok := slices.BinarySearchFunc(f.times, to, time.Time.Compare); !ok {
		f.times = slices.Insert(f.times, i, to)
	}
}

// mixed is a world of several kinds of node, with jobs of every kind.
func mixed(t *testing.T, seed int64, slow bool, log *bytes.Buffer) *sim.World {
	t.Helper()
	c := sim.Config{Seed: seed, Nodes: sim.Uniform(12, "a100", 8), Log: log, Accounts: []sim.Account{{Name: "a", Shares: 2}, {Name: "b", Shares: 1}}}
	for i := range c.Nodes {
		switch {
		case seed%3 == 0 && i%3 == 1:
			c.Nodes[i].GPUs = []sim.GPUs{{Type: "h100", Count: 8}}
		case seed%3 == 0 && i%5 == 2:
			c.Nodes[i].GPUs = []sim.GPUs{{Type: "h100", Count: 4}, {Type: "a100", Count: 4}}
		}
	}
	w, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if slow {
		w.PlanBy(&slowPlan{})
	}
	l := workload.Load{Seed: seed, Jobs: 250, Over: 6 * time.Hour, MaxNodes: 5, Users: []sim.User{{Name: "x", Account: "a"}, {Name: "y", Account: "b"}}}
	for i, a := range l.Make() {
		vary(&a.Spec, seed, i)
		if err := w.Arrive(w.Now().Add(a.After), a.Spec); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// vary makes some of the jobs unusual.
func vary(s *sim.Spec, seed int64, i int) {
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
