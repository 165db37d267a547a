package slurmrun

import (
	"time"
)

// stallAfter is how long nothing may start or end, beyond the longest job,
// before a run is given up.
const stallAfter = 14 * 24 * time.Hour

// stallDetector notices that nothing happens any more.
type stallDetector struct {
	longest time.Duration // a job may run
	events  int
	since   time.Time
}

// note takes a count of what has happened so far, and returns for how long
// nothing has, once that is longer than any job runs; else 0. While no job is
// there, nothing is missed.
func (s *stallDetector) note(now time.Time, sum, jobs int) time.Duration {
	if sum != s.events || jobs == 0 {
		s.events, s.since = sum, now
	}
	if d := now.Sub(s.since); d >= s.longest+stallAfter {
		return d
	}
	return 0
}
