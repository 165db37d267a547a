package rest

import "testing"

// TestAMarkOutlastsAPassOfBackfill: a pass may undo a change of ours as long as it lasts.
func TestAMarkOutlastsAPassOfBackfill(t *testing.T) {
	var m queueCache
	m.markStale(7, 3)
	poll := func(keepsMarks bool) int {
		old, left := m.load()
		m.store(old, left, keepsMarks)
		_, left = m.load()
		return left[7]
	}
	for i, step := range []struct {
		keepsMarks bool
		want       int
	}{{true, 3}, {true, 3}, {true, 3}, {true, 3}, {false, 2}, {true, 2}, {false, 1}, {false, 0}} {
		if got := poll(step.keepsMarks); got != step.want {
			t.Errorf("poll %d: %d polls are left to read it afresh, want %d", i+1, got, step.want)
		}
	}
}
