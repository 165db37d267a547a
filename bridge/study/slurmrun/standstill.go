package slurmrun

import "time"

// patience is how long nothing may start or end, beyond the longest job,
// before a run is given up.
const patience = 14 * 24 * time.Hour

// standstill notices that nothing happens any more.
type standstill struct {
	longest time.Duration // a job may run
	sum     int
	since   time.Time
}

// note takes a count of what has happened so far, and returns for how long
// nothing has, once that is longer than any job runs; else 0. While no job is
// there, nothing is missed.
func (s *standstill) note(now time.Time, sum, jobs int) time.Duration {
	if sum != s.sum || jobs == 0 {
		s.sum, s.since = sum, now
	}
	if d := now.Sub(s.since); d >= s.longest+patience {
		return d
	}
	return 0
}
