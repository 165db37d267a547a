package sim

import (
	"cmp"
	"slices"
	"time"
)

// reserve finds the earliest moment at which the job fits for its whole limit
// and takes the place: it starts the job if that is now, else later jobs must
// plan around it. It reports whether a place was found.
func (w *World) reserve(f *future, e entry) bool {
	k := f.kind(e)
	if !k.ok || len(k.places.nodes) == 0 || k.from > f.last {
		return false
	}
	at, slots := f.place(k)
	k.from = at
	if slots == nil {
		return false
	}
	f.book(slots, at, at+k.length)
	if at == f.now {
		w.start(e.j, e.p, slots, "backfill")
		return true
	}
	w.promise(e.j, time.Unix(0, at).UTC(), slots)
	return !e.j.unsplit() // one reservation stands for the array
}

// place returns the earliest place and its moment; never when there is none
// within the window.
func (f *future) place(k *kind) (at int64, slots []slot) {
	switch {
	case k.total > 0:
		return f.placeTotal(k)
	case k.ask.nodes == 1 && k.must == 0:
		return f.placeOne(k)
	}
	return f.placeGang(k)
}

// placeOne finds a single node.
func (f *future) placeOne(k *kind) (int64, []slot) {
	best, on := int64(never), (*node)(nil)
	for _, n := range k.places.nodes {
		f.stays = f.on(f.stays[:0], k, n, 1)
		for _, s := range f.stays {
			if s.first < best {
				best, on = s.first, n
			}
		}
		if best == k.from {
			break
		}
	}
	if best > f.last {
		return never, nil
	}
	s, _ := k.on(on, f.nodes[on.index].least(best, best+k.length), k.perNode)
	return best, []slot{s}
}

// on appends the moments at which the kind's share of one node can start there;
// at most so many stretches for each GPU type.
func (f *future) on(out []stay, k *kind, n *node, most int) []stay {
	t := f.nodes[n.index]
	want := need{typ: -1, gpus: k.perNode, cpus: k.cpus, mem: k.mem, all: k.all, length: k.length}
	if k.all {
		want.cpus = n.CPUs
	}
	if want.gpus <= 0 {
		return t.stays(out, &want, k.from, most)
	}
	for i, g := range n.GPUs {
		if (k.typ == "" || k.typ == g.Type) && g.Count >= want.gpus {
			want.typ = i
			out = t.stays(out, &want, k.from, most)
		}
	}
	return out
}

// turn is a moment at which a node becomes, or ceases to be, a place.
type turn struct {
	at   int64
	node int // index among the kind's nodes
	by   int
}

// placeGang finds the moment at which enough nodes are free together, those it
// must have among them.
func (f *future) placeGang(k *kind) (int64, []slot) {
	turns := f.turns[:0]
	for i, n := range k.places.nodes {
		f.stays = f.on(f.stays[:0], k, n, -1)
		for _, s := range f.stays {
			turns = append(turns, turn{s.first, i, 1})
			if s.last < never {
				turns = append(turns, turn{s.last + 1, i, -1})
			}
		}
	}
	f.turns = turns
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	open, count, must := make([]int, len(k.places.nodes)), 0, 0
	for i, t := range turns {
		open[t.node] += t.by // several of its GPU types may be free
		if t.by > 0 && open[t.node] == 1 || t.by < 0 && open[t.node] == 0 {
			count += t.by
			if t.node < k.must {
				must += t.by
			}
		}
		if i+1 < len(turns) && turns[i+1].at == t.at || count < k.ask.nodes || must < k.must {
			continue
		}
		if t.at > f.last {
			break
		}
		return t.at, k.fit(k.places.nodes, func(n *node) room { return f.nodes[n.index].least(t.at, t.at+k.length) })
	}
	return never, nil
}

// placeTotal finds room for GPUs that may be spread. It tries every moment at
// which as many are free at all.
func (f *future) placeTotal(k *kind) (int64, []slot) {
	f.stays = f.whole().stays(f.stays[:0], &need{gpus: k.total, length: k.length}, k.from, -1)
	i, _ := slices.BinarySearch(f.times, k.from)
	for _, s := range f.stays {
		for ; i < len(f.times) && f.times[i] <= min(s.last, f.last); i++ {
			at := f.times[i]
			if at < s.first {
				continue
			}
			if slots := k.fit(k.places.nodes, func(n *node) room { return f.nodes[n.index].least(at, at+k.length) }); slots != nil {
				return at, slots
			}
		}
	}
	return never, nil
}

// promise notes the planned start for people to see.
func (w *World) promise(j *job, at time.Time, slots []slot) {
	if !j.expect.IsZero() && j.expect.Before(at) {
		return
	}
	j.expect, j.planned = at, slots
	if j.reason == "None" {
		j.reason = "Resources"
	}
}
