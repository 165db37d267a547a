package assign

import (
	"slices"
)

// columnGroup is columns that no search tells apart but by their numbers.
type columnGroup struct {
	columnKind
	columns []int // ascending
	at      int   // in assignment.groups

	visited int // of the search: how many of the columns, the first ones
	cost    float64
	from    int
}

// columnKind is what the columns of a group have in common.
type columnKind struct {
	typ, place int // place is from 1
	taken      bool
	dual       float64
}

// before reports whether the search visits a column of g before one of o.
func (g *columnGroup) before(o *columnGroup) bool {
	switch {
	case g.cost != o.cost:
		return g.cost < o.cost
	case g.taken != o.taken:
		return o.taken
	}
	return g.columns[g.visited] < o.columns[o.visited]
}

func (q *assignment) kindOf(c int) columnKind {
	n, col := len(q.machines), &q.cols[c]
	return columnKind{q.machines[c%n], c/n + 1, col.job >= 0, col.dual}
}

// addToGroup puts a column among those that it is like.
func (q *assignment) addToGroup(c int) {
	l := q.kindOf(c)
	g := q.index[l]
	if g == nil {
		g = &columnGroup{columnKind: l, at: len(q.groups)}
		q.index[l] = g
		q.groups = append(q.groups, g)
	}
	i, _ := slices.BinarySearch(g.columns, c)
	g.columns = slices.Insert(g.columns, i, c)
}

// removeFromGroup takes a column from its group, before it changes.
func (q *assignment) removeFromGroup(c int) {
	g := q.index[q.kindOf(c)]
	i, _ := slices.BinarySearch(g.columns, c)
	if g.columns = slices.Delete(g.columns, i, i+1); len(g.columns) > 0 {
		return
	}
	delete(q.index, g.columnKind)
	last := q.groups[len(q.groups)-1]
	q.groups[g.at], last.at = last, g.at
	q.groups = q.groups[:len(q.groups)-1]
}
