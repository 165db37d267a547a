package solve

import "math"

// Queues divides jobs among single machines as Places does for banks, all of
// them free now: the k-th from the end of a machine counts k times its time,
// and the sum is least. times[i][t] is how long job i runs on a machine of type
// t, machines[m] is the type of machine m. It returns each job's machine and
// its place from the end, from 1, as Place{machine, place}.
//
// Which of several optima it finds is part of the contract: jobs are added in
// turn along shortest augmenting paths, and among places that are equally near
// a free one comes first, then the first by place and machine. The published
// figures of AlloX rest on it to the last digit.
func Queues(times [][]float64, machines []int) []Place {
	q := &queues{times: times, machines: machines, place: make([]int, len(times)), of: make([]float64, len(times))}
	q.deepen()
	for i := range times {
		q.insert(i)
	}
	places := make([]Place, len(times))
	for i, c := range q.place {
		places[i] = Place{c % len(machines), c/len(machines) + 1}
	}
	return places
}

// queues is an assignment of rows (jobs) to columns (place by place, all
// machines) with its dual values. A column is only there once those behind it
// on its machine are taken: it cannot be cheaper.
type queues struct {
	times    [][]float64
	machines []int
	place    []int     // by job: its column
	of       []float64 // by job: dual value
	job      []int     // by column: its job, -1 for none
	worth    []float64 // by column: dual value
	depth    []int     // by machine: jobs it has

	cost []float64 // of the search: by column
	from []int
	done []bool
}

// deepen adds a place to every machine.
func (q *queues) deepen() {
	if q.depth == nil {
		q.depth = make([]int, len(q.machines))
	}
	for range q.machines {
		q.job = append(q.job, -1)
		q.worth = append(q.worth, 0)
	}
	n := len(q.job)
	q.cost, q.from, q.done = make([]float64, n), make([]int, n), make([]bool, n)
}

func (q *queues) at(i, column int) float64 {
	m := column % len(q.machines)
	return q.times[i][q.machines[m]] * float64(column/len(q.machines)+1)
}

// insert adds a row along the shortest augmenting path.
func (q *queues) insert(i int) {
	for c := range q.cost {
		q.cost[c], q.from[c], q.done[c] = math.Inf(1), -1, false
	}
	row, way, end := i, 0.0, -1
	visited := []int{}
	for end < 0 {
		next := q.step(row, way)
		way = q.cost[next]
		q.done[next] = true
		if row = q.job[next]; row < 0 {
			end = next
		} else {
			visited = append(visited, next)
		}
	}
	q.of[i] += way
	for _, c := range visited {
		q.of[q.job[c]] += way - q.cost[c]
		q.worth[c] -= way - q.cost[c]
	}
	q.augment(i, end)
}

// step looks from a row at all columns that are there, and returns the nearest
// that was not visited.
func (q *queues) step(row int, way float64) int {
	best, n := -1, len(q.machines)
	for c, done := range q.done {
		if done || c/n > q.depth[c%n] {
			continue
		}
		if reach := way + q.at(row, c) - q.of[row] - q.worth[c]; reach < q.cost[c] {
			q.cost[c], q.from[c] = reach, row
		}
		if best < 0 || q.cost[c] < q.cost[best] || q.cost[c] == q.cost[best] && q.job[best] >= 0 && q.job[c] < 0 {
			best = c
		}
	}
	return best
}

// augment moves the jobs along the path that ends in a free column.
func (q *queues) augment(i, end int) {
	m := end % len(q.machines)
	q.depth[m]++
	for c := end; ; {
		row := q.from[c]
		next := q.place[row]
		q.job[c], q.place[row] = row, c
		if row == i {
			break
		}
		c = next
	}
	if (q.depth[m]+1)*len(q.machines) > len(q.job) {
		q.deepen()
	}
}
