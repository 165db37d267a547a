package assign_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/assign"
)

func TestAssignInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		options [][]assign.Option
		want    string
	}{
		"each its cheapest":       {[][]assign.Option{{{0, 2}, {1, 1}}, {{0, 1}, {1, 2}}}, "[1 0]"},
		"one moves for the next":  {[][]assign.Option{{{0, .1}, {1, .02}}, {{1, .1}}}, "[0 1]"},
		"none suits":              {[][]assign.Option{{}, {{0, 1}}}, "[-1 0]"},
		"the first, though dear":  {[][]assign.Option{{{0, 9}}, {{0, 1}}}, "[0 -1]"},
		"two move for the third":  {[][]assign.Option{{{0, 1}, {1, 2}}, {{1, 1}, {2, 5}}, {{0, 1}}}, "[1 2 0]"},
		"the first stays in wait": {[][]assign.Option{{{1, 1}}, {{1, 0}}, {{1, 0}, {0, 3}}}, "[1 -1 0]"},
	} {
		if got := fmt.Sprint(assign.AssignInOrder(c.options, 3)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestAssignInOrderByBruteForce: of all ways the one by which the first jobs are served, and of those the
// cheapest.
func TestAssignInOrderByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const places = 4
		options := make([][]assign.Option, rapid.IntRange(0, 5).Draw(t, "jobs"))
		for j := range options {
			for p := range places {
				if rapid.Bool().Draw(t, "suits") {
					options[j] = append(options[j], assign.Option{Place: p, Cost: float64(rapid.IntRange(0, 9).Draw(t, "cost"))})
				}
			}
		}
		got := assign.AssignInOrder(options, places)
		served, cost, used := 0, 0.0, 0
		for j, p := range got {
			served *= 2
			if p < 0 {
				continue
			}
			if used&(1<<p) != 0 {
				t.Fatalf("%v: a place twice", got)
			}
			used |= 1 << p
			served++
			cost += costOf(t, options[j], p)
		}
		if wantServed, wantCost := bestInOrder(options, 0); served != wantServed || math.Abs(cost-wantCost) > 1e-9 {
			t.Fatalf("%v serves %b at %v, want %b at %v", got, served, cost, wantServed, wantCost)
		}
	})
}

func costOf(t *rapid.T, options []assign.Option, place int) float64 {
	for _, o := range options {
		if o.Place == place {
			return o.Cost
		}
	}
	t.Fatalf("place %d does not suit: %v", place, options)
	return 0
}

// bestInOrder tries all ways to serve the jobs on places that are not used. Who is served stands in the
// bits, the first job in the highest.
func bestInOrder(options [][]assign.Option, used int) (served int, cost float64) {
	if len(options) == 0 {
		return 0, 0
	}
	served, cost = bestInOrder(options[1:], used)
	for _, o := range options[0] {
		if used&(1<<o.Place) != 0 {
			continue
		}
		s, c := bestInOrder(options[1:], used|1<<o.Place)
		s |= 1 << (len(options) - 1)
		if c += o.Cost; s > served || s == served && c < cost {
			served, cost = s, c
		}
	}
	return served, cost
}
