package assign

import (
	"slices"
)

// columnGroup is columns that no search tells apart but by their numbers.
type columnGroup struct {
	columnKind
	columns    []int // ascending
	groupIndex int   // in assignment.columnGroups

	visitedCount int // of the search: how many of the columns, the first ones
	pathCost     float64
	previousRow  int
}

// columnKind is what the columns of a group have in common.
type columnKind struct {
	machineType, place int // place is from 1
	isTaken            bool
	dual               float64
}

// comesBefore reports whether the search visits a column of g before one of o.
func (g *columnGroup) comesBefore(o *columnGroup) bool {
	switch {
	case g.pathCost != o.pathCost:
		return g.pathCost < o.pathCost
	case g.isTaken != o.isTaken:
		return o.isTaken
	}
	return g.columns[g.visitedCount] < o.columns[o.visitedCount]
}

func (q *assignment) kindOfColumn(c int) columnKind {
	n, col := len(q.machineTypes), &q.columns[c]
	return columnKind{q.machineTypes[c%n], c/n + 1, col.job >= 0, col.dual}
}

// addToGroup puts a column among those that it is like.
func (q *assignment) addToGroup(c int) {
	l := q.kindOfColumn(c)
	g := q.groupsByKind[l]
	if g == nil {
		g = &columnGroup{columnKind: l, groupIndex: len(q.columnGroups)}
		q.groupsByKind[l] = g
		q.columnGroups = append(q.columnGroups, g)
	}
	i, _ := slices.BinarySearch(g.columns, c)
	g.columns = slices.Insert(g.columns, i, c)
}

// removeFromGroup takes a column from its group, before it changes.
func (q *assignment) removeFromGroup(c int) {
	g := q.groupsByKind[q.kindOfColumn(c)]
	i, _ := slices.BinarySearch(g.columns, c)
	if g.columns = slices.Delete(g.columns, i, i+1); len(g.columns) > 0 {
		return
	}
	delete(q.groupsByKind, g.columnKind)
	last := q.columnGroups[len(q.columnGroups)-1]
	q.columnGroups[g.groupIndex], last.groupIndex = last, g.groupIndex
	q.columnGroups = q.columnGroups[:len(q.columnGroups)-1]
}
