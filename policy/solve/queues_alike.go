package solve

import "slices"

// alike are columns that no search tells apart but by their numbers.
type alike struct {
	likeness
	columns []int // ascending
	at      int   // in queues.groups

	visited int // of the search: how many of the columns, the first ones
	cost    float64
	from    int
}

// likeness is what the columns of a group have in common.
type likeness struct {
	typ, place int // place is from 1
	taken      bool
	worth      float64
}

// before reports whether the search visits a column of g before one of o.
func (g *alike) before(o *alike) bool {
	switch {
	case g.cost != o.cost:
		return g.cost < o.cost
	case g.taken != o.taken:
		return o.taken
	}
	return g.columns[g.visited] < o.columns[o.visited]
}

func (q *queues) likeness(c int) likeness {
	n, col := len(q.machines), &q.cols[c]
	return likeness{q.machines[c%n], c/n + 1, col.job >= 0, col.worth}
}

// join puts a column among those that it is like.
func (q *queues) join(c int) {
	l := q.likeness(c)
	g := q.index[l]
	if g == nil {
		g = &alike{likeness: l, at: len(q.groups)}
		q.index[l] = g
		q.groups = append(q.groups, g)
	}
	i, _ := slices.BinarySearch(g.columns, c)
	g.columns = slices.Insert(g.columns, i, c)
}

// leave takes a column from its group, before it changes.
func (q *queues) leave(c int) {
	g := q.index[q.likeness(c)]
	i, _ := slices.BinarySearch(g.columns, c)
	if g.columns = slices.Delete(g.columns, i, i+1); len(g.columns) > 0 {
		return
	}
	delete(q.index, g.likeness)
	last := q.groups[len(q.groups)-1]
	q.groups[g.at], last.at = last, g.at
	q.groups = q.groups[:len(q.groups)-1]
}
