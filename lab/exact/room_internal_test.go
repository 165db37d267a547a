package exact

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRoom: a list in a room is the same as one that is moved as a whole.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r room[int]
		var got, want []int
		for step := range rapid.IntRange(0, 200).Draw(t, "steps") {
			i := rapid.IntRange(0, len(want)).Draw(t, "place")
			if i < len(want) && rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
				got, want = deleteNear(got, i), slices.Delete(want, i, i+1)
			} else {
				got, want = r.insert(got, i, step), slices.Insert(want, i, step)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("step %d: %v, want %v", step, got, want)
			}
		}
	})
}
