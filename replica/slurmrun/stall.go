package slurmrun

import (
	"time"
)

// stallTimeout is how long nothing may start or end, beyond the longest job,
// before a run is given up.
const stallTimeout = 14 * 24 * time.Hour

// stallDetector notices that nothing happens any more.
type stallDetector struct {
	maxJobTime    time.Duration // a job may run
	eventCount    int
	lastEventTime time.Time
}

// timeWithoutEvents takes a count of what has happened so far, and returns for how long
// nothing has, once that is longer than any job runs; else 0. While no job is
// there, nothing is missed.
func (s *stallDetector) timeWithoutEvents(now time.Time, sum, jobs int) time.Duration {
	if sum != s.eventCount || jobs == 0 {
		s.eventCount, s.lastEventTime = sum, now
	}
	if d := now.Sub(s.lastEventTime); d >= s.maxJobTime+stallTimeout {
		return d
	}
	return 0
}
