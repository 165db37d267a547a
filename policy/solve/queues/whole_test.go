package queues_test

import (
	"slices"
	"testing"

	"fairbridge/policy/solve/queues"
)

// TestWhole: floors first, then by the largest remainder, then to the first what is left; a
// block is all or nothing.
func TestWhole(t *testing.T) {
	for name, c := range map[string]struct {
		total  int
		shares []float64
		sizes  [][]int // that each can have
		want   []int
	}{
		"whole already":      {8, []float64{6, 2}, [][]int{{1, 2, 4, 6}, {2}}, []int{6, 2}},
		"largest remainder":  {5, []float64{2.4, 2.6}, [][]int{{1, 2, 3}, {1, 2, 3}}, []int{2, 3}},
		"a block":            {4, []float64{1.5, 2.5}, [][]int{{1, 2, 3, 4}, {3}}, []int{1, 3}},
		"a block that waits": {4, []float64{3.5, .5}, [][]int{{1, 2, 3, 4}, {3}}, []int{4, 0}},
		"what is left":       {6, []float64{1, 1}, [][]int{{1, 2}, {1, 2, 3, 4}}, []int{2, 4}},
		"illegal sizes":      {6, []float64{5, 1}, [][]int{{4, 8}, {1, 2}}, []int{4, 2}},
		"none":               {6, nil, nil, []int{}},
	} {
		got := queues.Whole(c.total, c.shares, func(i, n int) int {
			for _, size := range c.sizes[i] {
				if size > n {
					return size
				}
			}
			return 0
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestClassByLoad: of jobs of 1 and 9 the small one has the first tenth of the work.
func TestClassByLoad(t *testing.T) {
	seen := []float64{1, 9, 1, 9}
	for size, want := range map[float64]int{.5: 0, 1: 0, 9: 1, 100: 1} {
		if got := queues.ClassByLoad(size, seen, []float64{.1}); got != want {
			t.Errorf("%g is of class %d, want %d", size, got, want)
		}
	}
}

func TestRatesOfShares(t *testing.T) {
	if got := queues.RatesOfShares([]float64{.5, .75}); !slices.Equal(got, []float64{.5, .25, .25}) {
		t.Errorf("%v", got)
	}
}
