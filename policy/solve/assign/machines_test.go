package assign_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/policy/solve/assign"
)

// TestToMachines compares the value with that of Places, which is checked against
// linear programs.
func TestToMachines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		types := 1 + rng.IntN(3)
		var machines []int
		var banks []assign.MachineGroup
		for k := range types {
			n := 1 + rng.IntN(4)
			machines = append(machines, slices.Repeat([]int{k}, n)...)
			banks = append(banks, assign.MachineGroup{Type: k, Count: n})
		}
		times := make([][]float64, rng.IntN(20))
		for i := range times {
			for range types {
				times[i] = append(times[i], float64(1+rng.IntN(9)))
			}
		}
		got := assign.AssignToMachines(times, machines)
		single := make([]assign.MachineGroup, len(machines))
		for m, k := range machines {
			single[m] = assign.MachineGroup{Type: k, Count: 1}
		}
		sum, err := total(times, ones(len(times)), single, got)
		if err != nil {
			t.Fatal(err)
		}
		want, err := total(times, ones(len(times)), banks, assign.AssignPositions(times, ones(len(times)), banks, 0))
		if err != nil || !(math.Abs(sum-want) < 1e-9*(1+want)) {
			t.Fatalf("%g, optimum %g (%v): times %v machines %v", sum, want, err, times, machines)
		}
	}
}

// TestToMachinesTies pins which of the optima it is: the oldest take the machines
// in turn, and who comes when all are taken sends the shortest, or itself,
// before the job of the first machine.
func TestToMachinesTies(t *testing.T) {
	for name, c := range map[string]struct {
		times []float64
		want  []assign.Position
	}{
		"fewer than machines":   {[]float64{5, 1}, []assign.Position{{0, 1}, {1, 1}}},
		"the newcomer is short": {[]float64{5, 4, 6, 1}, []assign.Position{{0, 1}, {1, 1}, {2, 1}, {0, 2}}},
		"the newcomer is long":  {[]float64{5, 4, 6, 9}, []assign.Position{{0, 1}, {0, 2}, {2, 1}, {1, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			times := make([][]float64, len(c.times))
			for i, x := range c.times {
				times[i] = []float64{x}
			}
			if got := assign.AssignToMachines(times, []int{0, 0, 0}); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
