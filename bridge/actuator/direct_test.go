package actuator

import (
	"testing"
)

func TestSetDirectly(t *testing.T) {
	for _, tt := range []struct {
		name string
		own  []int64
		want int // places that are left
	}{
		{"none", nil, 0},
		{"one", []int64{3_000_000}, 1},
		{"two that differ: which was set cannot be told", []int64{3_000_000, 8_000}, 2},
		{"as factors make them", []int64{11_000, 2_666, 2_666, 700}, 4},
		{"one was set", []int64{8_000, 3_000_000, 7_500, 8_100}, 3},
		{"two were set", []int64{8_000, 3_000_000, 7_500, 1_000_000, 8_100, 9_000}, 4},
		{"most are high: the low ones are no measure", []int64{5, 8_000, 7_500, 8_100}, 4},
	} {
		got, direct := 0, directPriorityThreshold(tt.own)
		for _, v := range tt.own {
			if v < direct {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("%s: %d places are left, want %d", tt.name, got, tt.want)
		}
	}
}
