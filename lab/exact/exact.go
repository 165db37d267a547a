// Package exact runs a policy on a cluster that does at once and exactly what
// the plan says, as the simulators of the papers assume. Time passes in rounds
// (as of Shockwave and Gavel), from event to event, or in lockstep (as of Pollux and Sia). Within, it counts
// seconds as the published simulators do, in floating point from the start of
// the workload, so that ties between jobs fall as they do there.
package exact

import (
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
