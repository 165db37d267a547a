package exact

import (
	"time"
)

// Clock says when the policy is asked and what stopping costs. Use
// ShockwaveClock, GavelClock, PolluxClock or NewEventClock.
type Clock struct {
	// RoundLength: time passes in rounds at whose start the policy is asked; nothing
	// changes within a round, GPUs of jobs that end stay idle, jobs that arrive
	// wait. It ends early when all its runners are done. 0: see MinInterval.
	RoundLength time.Duration
	// MinInterval: the policy is asked at most so often, when a job arrived or ended;
	// jobs end in between, at their exact times.
	MinInterval time.Duration
	// MaxInterval: it is also asked so long after the last time if nothing happened;
	// 0: never.
	MaxInterval time.Duration
	// RestartCost is run time without progress. In rounds each start after the first
	// round costs it, unless the job runs for less than the round without CostFreeTail;
	// from event to event each start of a job but its first, and each move.
	RestartCost  time.Duration
	CostFreeTail time.Duration
	// MaxOverrunFactor: in rounds a training job is ended once it has run so many times
	// its exclusive run time, cut to whole seconds; 0: never.
	MaxOverrunFactor float64
	// MaxIdleRounds: in rounds a job is ended after so many rounds in a row in which it
	// held GPUs and had nothing to do; 0: after the first.
	MaxIdleRounds int
	// LockstepInterval: in every interval of this length all jobs go on first, each start and
	// move costing RestartCost, and then the policy is asked; 0: see the others.
	LockstepInterval time.Duration
	// FreeMoves: a move to as many GPUs of the same type on each of as many other nodes is no
	// restart, as in Sia's simulator.
	FreeMoves bool
}

// ShockwaveClock is the clock of Shockwave's published simulator.
func ShockwaveClock() Clock {
	return Clock{RoundLength: 120 * time.Second, RestartCost: 20 * time.Second, CostFreeTail: 5 * time.Second, MaxOverrunFactor: 1.5, MaxIdleRounds: 5}
}

// GavelClock is the clock of Gavel's own simulator: longer rounds, free starts.
func GavelClock() Clock {
	return Clock{RoundLength: 360 * time.Second, MaxOverrunFactor: 1.5, MaxIdleRounds: 5}
}

// PolluxClock is the clock of Pollux' simulator.
func PolluxClock() Clock {
	return Clock{LockstepInterval: 60 * time.Second, RestartCost: 30 * time.Second}
}

// NewEventClock asks the policy at most every so often, and again after recheck; a
// stop costs the job so much run time.
func NewEventClock(every, recheck, cost time.Duration) Clock {
	return Clock{MinInterval: every, MaxInterval: recheck, RestartCost: cost}
}
