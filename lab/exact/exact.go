// Package exact runs a policy on a cluster that does at once and exactly what
// the plan says, as the simulators of the papers assume. Time passes in rounds
// (as of Shockwave and Gavel), from event to event, or in lockstep (as of Pollux and Sia). Within, it counts
// seconds as the published simulators do, in floating point from the start of
// the workload, so that ties between jobs fall as they do there.
package exact

import (
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/forecast"
	"fairbridge/replica/goodput"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// Config is one simulation.
type Config struct {
	// Policy is asked with a snapshot that is valid during Decide only: its memo
	// must not hold on to slices of it.
	Policy      policy.Policy
	Nodes       []policy.Node // sorted by name; partition "gpu"; Windows in the calendar of CalendarTimeAt
	Jobs        []workload.Job
	SpeedTables *workload.SpeedTables // speeds of jobs with Training; nil: none
	Accounts    []policy.Account      // with what they used before; see workload.SplitAccountUse
	// BillingWeights are what GPUs are charged in what accounts and users used; nil: all alike.
	BillingWeights policy.BillingWeights
	Clock          Clock
	Seed           int64
	// ReportsPlannedRegimes: jobs report the batch sizes they planned to have had so far, as
	// the policies of the Shockwave harness see them, instead of what they had, in
	// whole seconds an epoch and with that harness's correction by measured speeds.
	ReportsPlannedRegimes bool
	// Interference says how fast jobs are that share a GPU, for which SpeedTables has no
	// speed; nil: .6 of the speed alone.
	Interference workload.Interference
	// NodeInterference says how fast jobs are beside jobs on other GPUs of their nodes; nil: as fast
	// as without them, as jobs with a profile always are.
	NodeInterference workload.NodeInterference
	// MixedTypesCost is what exchanging between GPUs of several types adds to a step of a job that
	// accepts them, as a part of its step on the fastest of them; 0: .05, negative: nothing.
	MixedTypesCost float64
	// KeepsNodeShapes: gangs ask for GPUs node by node, as their owners would ask Slurm for
	// them (workload.Job.NodeShape); else GPUs of one type are all alike, wherever they are.
	KeepsNodeShapes bool
	// Information is what jobs with a profile (workload.Job.Goodput) tell policies; "": Oracle.
	Information goodput.Information
	// InferenceServices forecasts what inference services need, for policies; nil: there are none.
	InferenceServices InferenceForecaster
	// UntilSeconds is when the simulation is broken off, by the clock from event to event: jobs that have not
	// ended then have no Finish. 0: when all jobs are done.
	UntilSeconds float64
	// OmitsReasons policies need not give reasons; see policy.Snapshot.OmitReasons.
	OmitsReasons bool
	// RunTimes predicts run times for policies; nil: nothing is predicted.
	RunTimes forecast.RunTimePredictor
	// PredictsTruth predicts true run times instead, as only an oracle could.
	PredictsTruth bool
	// ReportProgress is told from time to time how many jobs are done; nil: none is told.
	ReportProgress func(done, of int)
	// WatchDecision sees every decision before it is carried out, and must not keep what
	// it sees; nil: not watched.
	WatchDecision func(*policy.Snapshot, *policy.Plan)
}

// InferenceForecaster says what inference services are thought to need.
type InferenceForecaster interface {
	// ServicesAt returns them, sorted by name, as they are forecast at a moment, in seconds since
	// the start of the workload; times are in the calendar of CalendarTimeAt.
	ServicesAt(seconds float64) []policy.InferenceService
}

// Run simulates until all jobs are done. Errors name the job or the decision
// that cannot be carried out.
func Run(c Config) (*measure.Run, error) {
	started := time.Now()
	e, err := newEngine(c)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Clock.LockstepInterval > 0:
		err = (&lockstepEngine{engine: e}).simulate()
	case c.Clock.RoundLength > 0:
		err = (&roundEngine{engine: e}).simulate()
	default:
		err = (&intervalEngine{e}).simulate()
	}
	if err != nil {
		return nil, err
	}
	e.fillResults()
	e.measuredRun.WallSeconds = time.Since(started).Seconds()
	return e.measuredRun, nil
}

// roundEngine is the clock of Gavel's and Shockwave's simulators.
type roundEngine struct {
	*engine
	roundCount int // rounds so far
}

// simulate runs until all jobs are done.
func (r *roundEngine) simulate() error {
	for {
		r.admitArrivals()
		if len(r.presentJobs) == 0 {
			if len(r.futureJobs) == 0 {
				return nil
			}
			r.now = r.futureJobs[0].Arrive
			continue
		}
		if err := r.decideAndCarryOut(); err != nil {
			return err
		}
		switch later := r.mayStartLater(r.Clock.RoundLength); {
		case len(r.runningJobs) > 0:
			r.runRound()
		default:
			next := r.nodeWindows.nextReturn(r.now)
			if len(r.futureJobs) > 0 {
				next = min(next, r.futureJobs[0].Arrive)
			}
			if math.IsInf(next, 1) {
				if !later {
					return r.deadlockError()
				}
				next = r.now + r.Clock.RoundLength.Seconds()
			}
			r.now = next
		}
	}
}

// runRound is one round: all runners are settled, then the time is that of the last
// one.
func (r *roundEngine) runRound() {
	r.contention.add(float64(len(r.presentJobs)), 1)
	start, last := r.now, r.now
	for _, j := range r.runningJobs {
		last = max(last, r.runJob(j, start))
	}
	r.now = last
	r.roundCount++
	for _, j := range r.presentJobs {
		j.updateWantedBatch()
	}
	r.removeEnded()
}

// runJob runs a job for a round and settles it. It returns when it stopped.
func (r *roundEngine) runJob(j *job, start float64) float64 {
	units, all := j.workWithin(r.Clock.RoundLength.Seconds())
	if units <= 0 {
		if j.idleRounds++; j.idleRounds >= r.Clock.MaxIdleRounds {
			r.endJob(j, start)
		}
		return start
	}
	j.idleRounds = 0
	finish := start + units/j.unitsPerSecond
	ran := finish - start
	if cost := r.startCost(j); r.roundCount > 0 && j.hasJustStarted && cost > 0 && ran > r.Clock.RoundLength.Seconds()-r.Clock.CostFreeTail.Seconds() {
		kept := ran - cost
		units, ran, all = units*(kept/ran), kept, false
		if j.Training != nil {
			units = math.Trunc(units)
		}
		j.outcome.LostService += cost * float64(j.GPUs)
	}
	j.doneUnits += units
	if all {
		j.doneUnits = j.totalUnits
	}
	r.addRunTime(j, ran, finish-start)
	if j.profile != nil {
		j.profile.addMeasurement(r.roundCount+1, r.Clock.RoundLength.Seconds(), float64(j.batchSize)*j.unitsPerSecond)
	}
	if j.doneUnits >= j.totalUnits || j.maxRunSeconds > 0 && j.progressSeconds > j.maxRunSeconds {
		r.endJob(j, finish)
		return finish
	}
	if r.trainingReports.changeBatchSize(j) {
		j.unitsPerSecond = r.speeds.speedOf(j, &r.cluster)
	}
	return finish
}

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
