// Package exact runs a policy on a cluster that does at once and exactly what
// the plan says, as the simulators of the papers assume.
package exact

import (
	"time"

	"fairbridge/bridge/sim/measure"
	"fairbridge/bridge/sim/work"
	"fairbridge/policy"
)

// Config is one simulation.
type Config struct {
	Policy   policy.Policy
	Nodes    []policy.Node // sorted by name; partition "gpu"
	Jobs     []work.Job
	Tables   *work.Tables // speeds of jobs with Training; nil: none
	Accounts []policy.Account
	Clock    Clock
	Seed     int64
	// Progress is told from time to time how many jobs are done; nil: nobody.
	Progress func(done, of int)
	// Watch sees every decision; nil: nobody does.
	Watch func(*policy.Snapshot, *policy.Plan)
}

// Clock says when the policy is asked and what stopping costs. Use Shockwave,
// Gavel or Intervals.
type Clock struct {
	// Round: time passes in rounds at whose start the policy is asked; nothing
	// changes within a round, and it ends early when all its runners did. 0: see
	// Every.
	Round time.Duration
	// Every: the policy is asked at most so often, when a job arrived or ended;
	// jobs end in between, at their exact times.
	Every time.Duration
	// Recheck: it is also asked so long after the last time if nothing happened.
	Recheck time.Duration
	// Cost is what a start after the first round of the simulation costs a job
	// that did not run before: run time without progress.
	Cost time.Duration
}

// Run simulates until all jobs are done. Errors name the job or the decision
// that cannot be carried out.
func Run(c Config) (*measure.Run, error) { return newEngine(c).run() }
