package assign

import (
	"math"
	"slices"
)

// AssignToMachines divides jobs among single machines as AssignPositions does for groups, all of
// them free now: the k-th from the end of a machine counts k times its time,
// and the sum is least. times[i][t] is how long job i runs on a machine of type
// t, machines[m] is the type of machine m. It returns each job's machine and
// its place from the end, from 1, as Position{machine, place}.
//
// Which of several optima it finds is part of the contract: jobs are added in
// turn along shortest augmenting paths, and among places that are equally near
// a free one comes first, then the first by place and machine. The published
// figures of AlloX rest on it to the last digit.
func AssignToMachines(times [][]float64, machines []int) []Position {
	q := &assignment{times: times, machineTypes: machines, columnOfJob: make([]int, len(times)), jobDuals: make([]float64, len(times)),
		jobCounts: make([]int, len(machines)), groupsByKind: map[columnKind]*columnGroup{}}
	for m := range machines {
		q.openNextPlace(m)
	}
	for i := range times {
		q.insertJob(i)
	}
	places := make([]Position, len(times))
	for i, c := range q.columnOfJob {
		places[i] = Position{c % len(machines), c/len(machines) + 1}
	}
	return places
}

// assignment is one of rows (jobs) to columns (place by place, all
// machines) with its dual values. A column is only there once those behind it
// on its machine are taken: it cannot be cheaper.
type assignment struct {
	times        [][]float64
	machineTypes []int
	columnOfJob  []int     // by job: its column
	jobDuals     []float64 // by job: dual value
	columns      []columnState
	jobCounts    []int // by machine: jobs it has

	columnGroups []*columnGroup // of the columns that are there
	groupsByKind map[columnKind]*columnGroup
}

// columnState is what is known of a column.
type columnState struct {
	job         int     // -1 for none
	dual        float64 // dual value
	pathCost    float64 // of the search that visited it last: how far it was,
	previousRow int     // and the row before it
}

// openNextPlace makes the next place of a machine a column that is there.
func (q *assignment) openNextPlace(m int) {
	c := q.jobCounts[m]*len(q.machineTypes) + m
	for len(q.columns) <= c {
		q.columns = append(q.columns, columnState{job: -1})
	}
	q.addToGroup(c)
}

// insertJob adds a row along the shortest augmenting path.
func (q *assignment) insertJob(i int) {
	for _, g := range q.columnGroups {
		g.pathCost, g.visitedCount = math.Inf(1), 0
	}
	var visited []int
	row, way, end := i, 0.0, -1
	for end < 0 {
		next := q.visitNearestColumn(row, way)
		way = q.columns[next].pathCost
		if row = q.columns[next].job; row < 0 {
			end = next
		} else {
			visited = append(visited, next)
		}
	}
	q.jobDuals[i] += way
	for _, c := range visited {
		col := &q.columns[c]
		q.jobDuals[col.job] += way - col.pathCost
		q.removeFromGroup(c)
		col.dual -= way - col.pathCost
		q.addToGroup(c)
	}
	q.augmentPath(i, end)
}

// visitNearestColumn looks from a row at all columns that are there, and visits the nearest
// that was not visited.
func (q *assignment) visitNearestColumn(row int, way float64) int {
	var best *columnGroup
	for _, g := range q.columnGroups {
		if g.visitedCount == len(g.columns) {
			continue
		}
		if reach := way + q.times[row][g.machineType]*float64(g.place) - q.jobDuals[row] - g.dual; reach < g.pathCost {
			g.pathCost, g.previousRow = reach, row
		}
		if best == nil || g.comesBefore(best) {
			best = g
		}
	}
	c := best.columns[best.visitedCount]
	best.visitedCount++
	q.columns[c].pathCost, q.columns[c].previousRow = best.pathCost, best.previousRow
	return c
}

// augmentPath moves the jobs along the path that ends in a free column.
func (q *assignment) augmentPath(i, end int) {
	q.removeFromGroup(end)
	for c := end; ; {
		row := q.columns[c].previousRow
		next := q.columnOfJob[row]
		q.columns[c].job, q.columnOfJob[row] = row, c
		if row == i {
			break
		}
		c = next
	}
	q.addToGroup(end)
	m := end % len(q.machineTypes)
	q.jobCounts[m]++
	q.openNextPlace(m)
}

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
