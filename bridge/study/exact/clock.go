package exact

import "time"

// Clock says when the policy is asked and what stopping costs. Use Shockwave,
// Gavel or Intervals.
type Clock struct {
	// Round: time passes in rounds at whose start the policy is asked; nothing
	// changes within a round, GPUs of jobs that end stay idle, jobs that arrive
	// wait. It ends early when all its runners are done. 0: see Every.
	Round time.Duration
	// Every: the policy is asked at most so often, when a job arrived or ended;
	// jobs end in between, at their exact times.
	Every time.Duration
	// Recheck: it is also asked so long after the last time if nothing happened;
	// 0: never.
	Recheck time.Duration
	// Cost is run time without progress. In rounds each start after the first
	// round costs it, unless the job runs for less than the round without Tail;
	// from event to event each start of a job but its first, and each move.
	Cost time.Duration
	Tail time.Duration
	// Overrun: in rounds a training job is ended once it has run so many times
	// its exclusive run time, cut to whole seconds; 0: never.
	Overrun float64
	// Fails: in rounds a job is ended after so many rounds in a row in which it
	// held GPUs and had nothing to do; 0: after the first.
	Fails int
}

// Shockwave is the clock of Shockwave's published simulator.
func Shockwave() Clock {
	return Clock{Round: 120 * time.Second, Cost: 20 * time.Second, Tail: 5 * time.Second, Overrun: 1.5, Fails: 5}
}

// Gavel is the clock of Gavel's own simulator: longer rounds, free starts.
func Gavel() Clock { return Clock{Round: 360 * time.Second, Overrun: 1.5, Fails: 5} }

// Intervals asks the policy at most every so often, and again after recheck; a
// stop costs the job so much run time.
func Intervals(every, recheck, cost time.Duration) Clock {
	return Clock{Every: every, Recheck: recheck, Cost: cost}
}
