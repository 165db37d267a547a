// Package paper is what published scheduling systems have in common: how one
// describes itself, and how its parameters are read. Each system is a package
// below, a struct whose fields are the paper's parameters, built from the stages
// of the packages of policy; package catalogue lists them.
package paper

import (
	"time"

	"fairbridge/policy/engine"
)

// Parameters that several systems share. They set the engine's rules, which the
// papers do not have: real jobs pay for every stop.

// MinRunParam is the shortest run of a job.
type MinRunParam struct {
	MinRun time.Duration `param:"min_run" default:"10m" min:"1" help:"shortest run before a job may be stopped; 20 times its checkpoint cost where that is longer"`
}

// MaxStopsParam is how often a job is stopped.
type MaxStopsParam struct {
	MaxStops int `param:"max_stops" default:"12" min:"-1" help:"how often one job may be stopped in its life; 0 and -1: without limit"`
}

// MaxWaitParam is how long a job waits while others pass it.
type MaxWaitParam struct {
	MaxWait time.Duration `param:"max_wait" default:"24h" help:"wait after which a job goes to the front of the line with a reservation; 0s: never"`
}

// Limits are the parameters of most systems that stop jobs.
type Limits struct {
	MinRunParam
	MaxStopsParam
	MaxWaitParam
}

// PatientLimits are those of systems that grant leases by turns, in which a gang
// would starve among jobs that must not be stopped: none may pass it after twice
// its own length.
type PatientLimits struct {
	MinRunParam
	MaxStopsParam
	MaxWait time.Duration `param:"max_wait" default:"24h" help:"wait after which a job goes to the front of the line with a reservation; one that no stop could make room for already after twice its own length, at least 2h; 0s: never"`
}

// Rules returns the engine's rules for a system that stops no job.
func (l MaxWaitParam) Rules() engine.Rules { return Limits{MaxWaitParam: l}.Rules() }

// Rules returns the engine's rules, in which 0 stands for a default and a
// negative number for none.
func (l Limits) Rules() engine.Rules {
	r := engine.Rules{MinRun: l.MinRun, MaxStops: l.MaxStops, MaxWait: l.MaxWait}
	if l.MaxStops == 0 {
		r.MaxStops = -1
	}
	if l.MaxWait == 0 {
		r.MaxWait = -1
	}
	return r
}

// Rules returns the engine's rules.
func (l PatientLimits) Rules() engine.Rules {
	r := Limits{l.MinRunParam, l.MaxStopsParam, MaxWaitParam{l.MaxWait}}.Rules()
	r.PatienceFactor, r.MinPatience = 2, 2*time.Hour
	return r
}

// ShortestByParam is the parameter of systems that serve the shortest job first.
type ShortestByParam struct {
	By string `param:"by" choices:"time,service" default:"time" help:"what is shortest: the time left, or that times the GPUs of the job"`
}
