// Package swayam says how many replicas of an inference service run: as many as its promise of answers in time will
// need once one that is started now could answer, by the requests that are forecast for then.
//
// A. Gujarati, S. Elnikety, Y. He, K. S. McKinley, B. B. Brandenburg, "Swayam: Distributed Autoscaling to Meet SLAs of
// Machine Learning Inference Services with Resource Efficiency", Middleware 2017.
//
// In the paper front-ends scale out each by itself and replicas that have nothing to do go by themselves. Here all
// replicas of a service are jobs, one decision counts them, and those that are too many wait.
package swayam

import (
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
	"fairbridge/policy/replicas"
)

// Policy is the scaling with its parameters.
type Policy struct {
	Scale    string        `param:"scale" choices:"forecast,utilisation,peak" default:"forecast" help:"replicas by the forecast of requests and the promise, by how busy they are now, or as many as ever; without reports of requests by how busy they are, or as many as ever"`
	Sigmas   float64       `param:"sigmas" default:"2" min:"0" help:"standard errors of a counted rate that the forecast is above what is expected"`
	Trend    time.Duration `param:"trend" default:"5m" min:"0" help:"time whose rates a line is drawn through, to forecast by; less than two rates: the last counts"`
	Lead     time.Duration `param:"lead" default:"1m" min:"0" help:"time until a start is decided and Slurm has carried it out, beyond the time that a replica takes to be ready"`
	Retire   time.Duration `param:"retire" default:"10m" min:"0" help:"time for which a replica is not needed before it is stopped, and between two that are"`
	Busy     float64       `param:"busy" default:"60" min:"1" max:"100" help:"percent of their time in which replicas shall compute, where they are scaled by that"`
	Release  string        `param:"release" choices:"wanted,at-once" default:"wanted" help:"when a replica that is not needed is stopped: where a waiting job gets its GPUs, or whether one waits or not"`
	Warm     int           `param:"warm" default:"0" min:"0" help:"replicas of each service that run beyond those needed"`
	MinRun   time.Duration `param:"min_run" default:"1m" min:"1" help:"shortest run of a job before it is stopped, a replica or one that gives way to a replica"`
	MaxStops int           `param:"max_stops" default:"-1" min:"-1" help:"how often one job may be stopped in its life; 0 and -1: without limit"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	limits := paper.Limits{MinRunParam: paper.MinRunParam{MinRun: p.MinRun}, MaxStopsParam: paper.MaxStopsParam{MaxStops: p.MaxStops}, MaxWaitParam: p.MaxWaitParam}
	rules := limits.Rules()
	rules.MinRunCheckpoints = -1
	if len(s.InferenceServices) > 0 { // no job's reservation keeps a replica waiting
		rules.MaxWait = -1
	}
	scaling := newScaling(p, s)
	return engine.Pipeline{
		Name:     "swayam",
		Predict:  predict.Ladder{},
		Admit:    scaling,
		Allocate: scaling,
		Backfill: backfill.EASY{},
		Preempt:  preempt.ByTier(scaling.tier),
		Rules:    rules,
	}.Decide(s)
}

// rule is by what it counts replicas.
func (p *Policy) rule() replicas.Rule {
	return replicas.Rule{By: p.Scale, Sigmas: p.Sigmas, Trend: p.Trend, Lead: p.Lead, Retire: p.Retire, Busy: p.Busy, Warm: p.Warm}
}

// line is first come, first served, but for replicas, which come before all other jobs that wait.
var line = order.ByKeys{order.ActiveFirst, order.ReplicasFirst, order.LongestRunFirst}
