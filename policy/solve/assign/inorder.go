// Package assign matches: jobs to places in the queues of machines so that the
// sum of completion times is least.
package assign

import (
	"math"
	"slices"
)

// Option is a place that suits a job, and what it costs there.
type Option struct {
	Place int
	Cost  float64
}

// AssignInOrder gives each job one of the places that suit it, and no place two jobs; -1: none. No
// job does without a place for the sake of a later one, and among all ways to serve those that
// have one the sum of costs is the least. Jobs are added one by one, each on the cheapest path
// on which those before it may change places.
func AssignInOrder(options [][]Option, placeCount int) []int {
	a := inOrder{options: options, jobAt: make([]int, placeCount), costAt: make([]float64, placeCount), placeOf: make([]int, len(options)),
		least: make([]float64, placeCount), by: make([]int, placeCount)}
	for p := range placeCount {
		a.jobAt[p], a.least[p] = -1, math.Inf(1)
	}
	for j := range options {
		a.placeOf[j] = -1
		a.add(j)
	}
	return a.placeOf
}

// inOrder is an assignment on its way.
type inOrder struct {
	options [][]Option
	jobAt   []int     // by place; -1: none
	costAt  []float64 // of the job at the place
	placeOf []int     // by job; -1: none

	least   []float64 // by place: cost of the cheapest path to it that is known
	by      []int     // by place: the job that would move there on that path
	touched []int     // places of which least is known
}

// tiny is a difference of costs that is none, but for rounding.
const tiny = 1e-9

// add finds the job a place.
func (a *inOrder) add(job int) {
	best := -1
	todo := []int{job}
	for len(todo) > 0 {
		j := todo[0]
		todo = todo[1:]
		spent := 0.0
		if at := a.placeOf[j]; at >= 0 {
			spent = a.least[at] - a.costAt[at]
		}
		for _, o := range a.options[j] {
			if o.Place == a.placeOf[j] || spent+o.Cost >= a.least[o.Place]-tiny {
				continue
			}
			if math.IsInf(a.least[o.Place], 1) {
				a.touched = append(a.touched, o.Place)
			}
			a.least[o.Place], a.by[o.Place] = spent+o.Cost, j
			if other := a.jobAt[o.Place]; other >= 0 {
				todo = append(todo, other)
			} else if best < 0 || a.least[o.Place] < a.least[best] {
				best = o.Place
			}
		}
	}
	if best >= 0 {
		a.moveAlong(best, job)
	}
	for _, p := range a.touched {
		a.least[p] = math.Inf(1)
	}
	a.touched = a.touched[:0]
}

// moveAlong moves the jobs of the path that ends at the free place, back to the new one.
func (a *inOrder) moveAlong(place, newJob int) {
	for {
		j := a.by[place]
		left := a.placeOf[j]
		a.jobAt[place], a.placeOf[j] = j, place
		for _, o := range a.options[j] {
			if o.Place == place {
				a.costAt[place] = o.Cost
			}
		}
		if j == newJob {
			return
		}
		place = left
	}
}

// RunOnFirstFree lets a job run for so many seconds on the machines that are free
// first, width of them at once, and returns when it ends. free are the times at
// which the machines are free, ascending before and after.
func RunOnFirstFree(free []float64, width int, seconds float64) (end float64) {
	end = free[width-1] + seconds
	before, _ := slices.BinarySearch(free[width:], end)
	copy(free, free[width:width+before])
	for i := range width {
		free[before+i] = end
	}
	return end
}
