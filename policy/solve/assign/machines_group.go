package assign

import (
	"slices"
)

// columnGroup is columns that no search tells apart but by their numbers.
type columnGroup struct {
	columnKind
	columns    []int // ascending
	groupIndex int   // in assignment.groups

	visitedCount int // of the search: how many of the columns, the first ones
	cost         float64
	from         int
}

// columnKind is what the columns of a group have in common.
type columnKind struct {
	machineType, place int // place is from 1
	isTaken            bool
	dual               float64
}

// before reports whether the search visits a column of g before one of o.
func (g *columnGroup) before(o *columnGroup) bool {
	switch {
	case g.cost != o.cost:
		return g.cost < o.cost
	case g.isTaken != o.isTaken:
		return o.isTaken
	}
	return g.columns[g.visitedCount] < o.columns[o.visitedCount]
}

func (q *assignment) kindOf(c int) columnKind {
	n, col := len(q.machines), &q.columns[c]
	return columnKind{q.machines[c%n], c/n + 1, col.job >= 0, col.dual}
}

// addToGroup puts a column among those that it is like.
func (q *assignment) addToGroup(c int) {
	l := q.kindOf(c)
	g := q.groupsByKind[l]
	if g == nil {
		g = &columnGroup{columnKind: l, groupIndex: len(q.groups)}
		q.groupsByKind[l] = g
		q.groups = append(q.groups, g)
	}
	i, _ := slices.BinarySearch(g.columns, c)
	g.columns = slices.Insert(g.columns, i, c)
}

// removeFromGroup takes a column from its group, before it changes.
func (q *assignment) removeFromGroup(c int) {
	g := q.groupsByKind[q.kindOf(c)]
	i, _ := slices.BinarySearch(g.columns, c)
	if g.columns = slices.Delete(g.columns, i, i+1); len(g.columns) > 0 {
		return
	}
	delete(q.groupsByKind, g.columnKind)
	last := q.groups[len(q.groups)-1]
	q.groups[g.groupIndex], last.groupIndex = last, g.groupIndex
	q.groups = q.groups[:len(q.groups)-1]
}
