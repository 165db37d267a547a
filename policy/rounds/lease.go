package rounds

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Lease implements engine.Leaser: of all jobs on all types, who comes first and
// fits in what is left of the type.
func (t *Turns) Lease(r *engine.Round, line []*engine.Entry) ([]engine.Grant, error) {
	b := &t.Book
	clear(b.Last)
	left := make([]int, len(b.Types))
	for k, typ := range b.Types {
		left[k] = r.Free.TotalFree(typ)
	}
	for _, e := range r.Active() {
		i := e.Index
		if k := b.ranOn(e, 0); k >= 0 && e.Stays {
			b.Last[i] = k + 1
		} else if k >= 0 {
			left[k] += e.On.Count()
		}
	}
	for _, o := range t.offers(r) {
		e := r.Entries[o.row]
		if n := e.Want; n > 0 && n <= left[o.typ] && b.Last[o.row] == 0 && RunsOn(r, e, b.Types[o.typ]) {
			b.Last[o.row] = o.typ + 1
			left[o.typ] -= n
		}
	}
	grants := make([]engine.Grant, len(line))
	for i, e := range line {
		if k := b.Last[e.Index]; k > 0 {
			grants[i] = engine.Grant{Run: true, Type: b.Types[k-1]}
		}
	}
	return grants, nil
}

// An offer is a job on a type.
type offer struct {
	ranked
	typ int
}

// offers merges the ranks of the types. A job that is due as much on several
// begins with the one that is fastest for it.
func (t *Turns) offers(r *engine.Round) []offer {
	w := len(t.ranks)
	all, place := make([]offer, 0, w*len(t.Book.Jobs)), t.places(r)
	for k, rank := range t.ranks {
		for _, x := range rank {
			all = append(all, offer{x, k})
		}
	}
	if w > 1 {
		slices.SortFunc(all, func(a, b offer) int {
			return cmp.Or(a.compare(b.ranked), cmp.Compare(a.row, b.row), cmp.Compare(place[a.row*w+a.typ], place[b.row*w+b.typ]))
		})
	}
	return all
}

// places returns where the types stand for each job, by speed: row by row, as
// the book has them.
func (t *Turns) places(r *engine.Round) []int {
	types := t.Book.Types
	w := len(types)
	place := make([]int, len(r.Entries)*w)
	order := make([]string, w)
	for i, e := range r.Entries {
		copy(order, types)
		r.Fastest(e.Job, order)
		for k, typ := range types {
			place[i*w+k] = slices.Index(order, typ)
		}
	}
	return place
}

// RunsOn reports whether the job may start, or run on, on GPUs of the type, and
// the cluster could hold it there.
func RunsOn(r *engine.Round, e *engine.Entry, typ string) bool {
	if want := e.Ask.GPUs.Type; want != typ && (want != "" || !whole(r.Snapshot, typ)) || !r.Startable(e) {
		return false
	}
	if e.Training != nil && len(e.Training.Rates) > 0 {
		if rate, known := e.Training.Rate(typ); !known || rate <= 0 {
			return false
		}
	}
	if e.Active() && e.On.Type() == typ {
		return true
	}
	was := e.Grant
	e.Grant = engine.Grant{Run: true, Type: typ}
	ok := r.Possible(e) == nil && r.WindowError(e) == nil
	e.Grant = was
	return ok
}

// whole reports whether devices of the type are whole GPUs.
func whole(s *policy.Snapshot, typ string) bool {
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			if d.Type == typ {
				return d.Part == 0 || d.Part == 100
			}
		}
	}
	return false
}
