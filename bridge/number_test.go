package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRenumberKeepsWhatStands(t *testing.T) {
	for _, c := range []struct {
		name       string
		have, want []int64
	}{
		{"nothing yet", []int64{0, 0}, []int64{320, 160}},
		{"in order", []int64{300, 200, 100}, []int64{300, 200, 100}},
		{"one new in the middle", []int64{300, 0, 100}, []int64{300, 200, 100}},
		{"last becomes first", []int64{100, 300, 200}, []int64{460, 300, 200}},
		{"no room between", []int64{110, 0, 0, 100}, []int64{580, 420, 260, 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := renumber(c.have, 10, 1000)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("renumber(%v): %s", c.have, diff)
			}
		})
	}
}

func TestRenumberLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.Int64Range(1, 50).Draw(t, "gap")
		have := rapid.SliceOfN(rapid.Int64Range(-10, 5000), 0, 60).Draw(t, "have")
		top := int64(len(have))*gap + rapid.Int64Range(0, 3000).Draw(t, "slack")
		got := renumber(have, gap, top)
		for i, v := range got {
			if v < gap || v > top {
				t.Fatalf("place %d: %d is outside [%d, %d] in %v", i, v, gap, top, got)
			}
			if i > 0 && got[i-1]-v < gap {
				t.Fatalf("places %d and %d are %d apart, want %d: %v", i-1, i, got[i-1]-v, gap, got)
			}
		}
		if diff := cmp.Diff(got, renumber(got, gap, top)); diff != "" {
			t.Fatalf("not a fixed point: %s", diff)
		}
	})
}
