package pool

import (
	"slices"
	"testing"
)

// TestBitset wants the numbers that were put in and not taken out, in order, over the
// edges of words.
func TestBitset(t *testing.T) {
	b := newBitset(200)
	for _, i := range []int{0, 63, 64, 130, 199, 70} {
		b.set(i, true)
	}
	b.set(70, false)
	b.set(71, false)
	var got []int
	for i := b.nextFrom(0); i >= 0; i = b.nextFrom(i + 1) {
		got = append(got, i)
	}
	if want := []int{0, 63, 64, 130, 199}; !slices.Equal(got, want) {
		t.Errorf("holds %v, want %v", got, want)
	}
}
