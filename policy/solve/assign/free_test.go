package assign

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRunOnFirst compares RunOnFirstFree with sorting all times anew.
func TestRunOnFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		free := rapid.SliceOfN(rapid.Float64Range(0, 9), 1, 8).Draw(t, "free")
		slices.Sort(free)
		width, seconds := rapid.IntRange(1, len(free)).Draw(t, "width"), rapid.Float64Range(0, 9).Draw(t, "seconds")
		want := slices.Clone(free)
		end := want[width-1] + seconds
		for i := range width {
			want[i] = end
		}
		slices.Sort(want)
		if got := RunOnFirstFree(free, width, seconds); got != end || !slices.Equal(free, want) {
			t.Fatalf("ends at %g with %v free, want %g with %v", got, free, end, want)
		}
	})
}
