package assign_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/policy/solve/assign"
)

// TestToMachinesPlain wants the very places, ties and rounding included, that one
// finds who looks at every column.
func TestToMachinesPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		types := 1 + rng.IntN(3)
		machines := make([]int, 1+rng.IntN(12))
		for m := range machines {
			machines[m] = rng.IntN(types)
		}
		draw := func() float64 { return float64(1 + rng.IntN(9)) }
		if rng.IntN(2) == 0 {
			draw = func() float64 { return math.Exp(8 * rng.Float64()) }
		}
		times := make([][]float64, rng.IntN(40))
		for i := range times {
			for range types {
				times[i] = append(times[i], draw())
			}
		}
		if got, want := assign.AssignToMachines(times, machines), plainQueues(times, machines); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v: times %v machines %v", got, want, times, machines)
		}
	}
}

func plainQueues(times [][]float64, machines []int) []assign.Position {
	q := &plain{times: times, machines: machines, place: make([]int, len(times)), of: make([]float64, len(times))}
	q.deepen()
	for i := range times {
		q.insert(i)
	}
	places := make([]assign.Position, len(times))
	for i, c := range q.place {
		places[i] = assign.Position{Group: c % len(machines), FromEnd: c/len(machines) + 1}
	}
	return places
}

// plain is the same assignment with every column looked at in every step: rows
// are jobs, columns places, all machines place by place, each with a dual value. A column is only there once those behind it
// on its machine are taken: it cannot be cheaper.
type plain struct {
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
func (q *plain) deepen() {
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

func (q *plain) at(i, column int) float64 {
	m := column % len(q.machines)
	return q.times[i][q.machines[m]] * float64(column/len(q.machines)+1)
}

// insert adds a row along the shortest augmenting path.
func (q *plain) insert(i int) {
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
func (q *plain) step(row int, way float64) int {
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
func (q *plain) augment(i, end int) {
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
