package assign

import (
	"math"
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
