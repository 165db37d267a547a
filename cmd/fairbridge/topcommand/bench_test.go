package topcommand

import "testing"

// What a key costs in a queue as long as is shown.
func BenchmarkKey(b *testing.B) {
	f := newFakeSource()
	f.wide = maxJobs
	s := newScreen(f, "queue")
	for b.Loop() {
		s.keys("j")
		_ = s.View()
	}
}
