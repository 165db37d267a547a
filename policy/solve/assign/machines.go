package assign

import (
	"math"
)

// AssignToMachines divides jobs among single machines as AssignToGroups does for groups, all of
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
	q := &assignment{times: times, machines: machines, place: make([]int, len(times)), jobDuals: make([]float64, len(times)),
		depth: make([]int, len(machines)), groupsByKind: map[columnKind]*columnGroup{}}
	for m := range machines {
		q.addPlace(m)
	}
	for i := range times {
		q.insert(i)
	}
	places := make([]Position, len(times))
	for i, c := range q.place {
		places[i] = Position{c % len(machines), c/len(machines) + 1}
	}
	return places
}

// assignment is one of rows (jobs) to columns (place by place, all
// machines) with its dual values. A column is only there once those behind it
// on its machine are taken: it cannot be cheaper.
type assignment struct {
	times    [][]float64
	machines []int
	place    []int     // by job: its column
	jobDuals []float64 // by job: dual value
	columns  []columnState
	depth    []int // by machine: jobs it has

	groups       []*columnGroup // of the columns that are there
	groupsByKind map[columnKind]*columnGroup
}

// columnState is what is known of a column.
type columnState struct {
	job  int     // -1 for none
	dual float64 // dual value
	cost float64 // of the search that visited it last: how far it was,
	from int     // and the row before it
}

// addPlace makes the next place of a machine there.
func (q *assignment) addPlace(m int) {
	c := q.depth[m]*len(q.machines) + m
	for len(q.columns) <= c {
		q.columns = append(q.columns, columnState{job: -1})
	}
	q.addToGroup(c)
}

// insert adds a row along the shortest augmenting path.
func (q *assignment) insert(i int) {
	for _, g := range q.groups {
		g.cost, g.visitedCount = math.Inf(1), 0
	}
	var visited []int
	row, way, end := i, 0.0, -1
	for end < 0 {
		next := q.visitNearest(row, way)
		way = q.columns[next].cost
		if row = q.columns[next].job; row < 0 {
			end = next
		} else {
			visited = append(visited, next)
		}
	}
	q.jobDuals[i] += way
	for _, c := range visited {
		col := &q.columns[c]
		q.jobDuals[col.job] += way - col.cost
		q.removeFromGroup(c)
		col.dual -= way - col.cost
		q.addToGroup(c)
	}
	q.augment(i, end)
}

// visitNearest looks from a row at all columns that are there, and visits the nearest
// that was not visited.
func (q *assignment) visitNearest(row int, way float64) int {
	var best *columnGroup
	for _, g := range q.groups {
		if g.visitedCount == len(g.columns) {
			continue
		}
		if reach := way + q.times[row][g.machineType]*float64(g.place) - q.jobDuals[row] - g.dual; reach < g.cost {
			g.cost, g.from = reach, row
		}
		if best == nil || g.before(best) {
			best = g
		}
	}
	c := best.columns[best.visitedCount]
	best.visitedCount++
	q.columns[c].cost, q.columns[c].from = best.cost, best.from
	return c
}

// augment moves the jobs along the path that ends in a free column.
func (q *assignment) augment(i, end int) {
	q.removeFromGroup(end)
	for c := end; ; {
		row := q.columns[c].from
		next := q.place[row]
		q.columns[c].job, q.place[row] = row, c
		if row == i {
			break
		}
		c = next
	}
	q.addToGroup(end)
	m := end % len(q.machines)
	q.depth[m]++
	q.addPlace(m)
}
