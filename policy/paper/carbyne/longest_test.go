package carbyne

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLongestFirst(t *testing.T) {
	for name, c := range map[string]struct {
		tasks    []task
		machines int
		ends     []float64
		last     float64
	}{
		"a long one beside two short": {[]task{{3, 1}, {1, 1}, {1, 1}}, 2, []float64{3, 1, 2}, 3},
		"three alike":                 {[]task{{1, 1}, {1, 1}, {1, 1}}, 2, []float64{1, 1, 2}, 2},
		"a gang waits for both":       {[]task{{2, 1}, {1, 2}}, 2, []float64{2, 3}, 3},
		"too wide":                    {[]task{{2, 9}}, 2, []float64{2}, 2},
		"no machines count as one":    {[]task{{2, 1}, {1, 1}}, 0, []float64{2, 3}, 3},
		"nothing":                     {nil, 4, []float64{}, 0},
	} {
		ends, last := scheduleLongestFirst(c.tasks, c.machines)
		if !slices.Equal(ends, c.ends) || last != c.last {
			t.Errorf("%s: %v, last %g; want %v, %g", name, ends, last, c.ends, c.last)
		}
	}
}

// TestLongestFirstBounds checks Graham's bound against what no schedule can
// beat, and that no more machines are busy than there are.
func TestLongestFirstBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		machines := 1 + rng.IntN(5)
		tasks, sum, longest := make([]task, rng.IntN(12)), 0.0, 0.0
		for i := range tasks {
			tasks[i] = task{seconds: rng.Float64() * 9, machineCount: 1}
			sum += tasks[i].seconds
			longest = max(longest, tasks[i].seconds)
		}
		ends, last := scheduleLongestFirst(tasks, machines)
		least := max(sum/float64(machines), longest)
		if last < least-1e-9 || last > (4./3)*least+longest {
			t.Fatalf("%v on %d: ends at %g, least %g", tasks, machines, last, least)
		}
		for _, at := range ends {
			busy := 0
			for i, end := range ends {
				if mid := at - 1e-9; end-tasks[i].seconds < mid && mid < end {
					busy++
				}
			}
			if busy > machines {
				t.Fatalf("%d of %d machines are busy", busy, machines)
			}
		}
	}
}
