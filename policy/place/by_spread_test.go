package place_test

import (
	"fmt"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/place"
)

// halfFull has four nodes of four a100, of which so many are free, and an entry of a gang that
// spread has a part of its speed (0: not known).
func halfFull(t *testing.T, free [4]int, count int, speed float64) (*engine.Round, *engine.Entry) {
	t.Helper()
	r, e := round([4]int{4, 4, 4, 4}, gpus(count))
	for i, n := range free {
		if n < 4 {
			if err := r.FreePool.Take(policy.Alloc{{Node: fmt.Sprintf("n%d", i+1), Type: "a100", Count: 4 - n}}, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if speed > 0 {
		e.Scaling = &policy.Scaling{SpreadSpeed: speed}
	}
	return r, e
}

// TestBySpread: a gang that is slowed by being spread waits for few nodes, and others fill gaps.
func TestBySpread(t *testing.T) {
	for name, c := range map[string]struct {
		free  [4]int
		count int
		speed float64
		want  string // "": it waits
	}{
		"slowed, a node has room":            {[4]int{3, 4, 1, 2}, 3, .5, "n1:3×a100"},
		"slowed, only spread":                {[4]int{2, 1, 1, 2}, 3, .5, ""},
		"slowed little, only spread":         {[4]int{2, 1, 1, 2}, 3, .95, "n1:1×a100,n2:1×a100,n3:1×a100"},
		"slowed, needs two nodes":            {[4]int{4, 3, 4, 0}, 7, .5, "n1:4×a100,n2:3×a100"},
		"slowed, three where two would do":   {[4]int{2, 2, 2, 0}, 6, .5, ""},
		"not slowed, gaps first":             {[4]int{4, 1, 2, 4}, 3, 0, "n2:1×a100,n3:2×a100"},
		"one GPU is never spread, gap first": {[4]int{4, 1, 2, 4}, 1, .5, "n2:1×a100"},
		"none is free":                       {[4]int{}, 3, 0, ""},
	} {
		r, e := halfFull(t, c.free, c.count, c.speed)
		on, err := place.BySpread{LeastSpeed: .9}.Place(r, e)
		if on.String() != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %v, %v, want %q", name, on, err, c.want)
		}
	}
}
