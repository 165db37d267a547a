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
	"fmt"
	"slices"
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

// scaling is which replicas of a snapshot are not to start, and which are not needed. It implements engine.Admitter
// and engine.Allocator.
type scaling struct {
	refusals map[policy.JobID]error
	surplus  map[policy.JobID]string // those that run and may stop now, and why
	notes    map[policy.JobID]string
	atOnce   bool            // they stop whether another job wants their GPUs or not
	serving  map[string]bool // partitions in which services are scaled
}

// service is one that is scaled.
type service struct {
	replicas.Service
	mayStop bool // none of its replicas was stopped within the time between two
}

func newScaling(p *Policy, s *policy.Snapshot) *scaling {
	c := &scaling{map[policy.JobID]error{}, map[policy.JobID]string{}, map[policy.JobID]string{}, p.Release == "at-once", map[string]bool{}}
	for _, v := range p.listServices(s) {
		c.serving[v.Partition] = true
		c.decide(p, v, s)
	}
	return c
}

// listServices returns the services that are scaled, each with its replicas: those that run in the order of
// their starts, those that wait by arrival.
func (p *Policy) listServices(s *policy.Snapshot) []*service {
	var all []*service
	byName := map[string]*service{}
	for i := range s.InferenceServices {
		if v := &s.InferenceServices[i]; v.Scaling != nil && byName[v.Name] == nil {
			byName[v.Name] = &service{Service: replicas.Service{InferenceService: v}, mayStop: true}
			all = append(all, byName[v.Name])
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		v := byName[j.ReplicaOf]
		if v == nil {
			continue
		}
		switch {
		case j.State == policy.Running:
			v.Running = append(v.Running, j)
		case j.CanStart(s.Now):
			v.Waiting = append(v.Waiting, j)
		}
		if !j.HoldsGPUs() && !j.LastStop.IsZero() && s.Now.Sub(j.LastStop) < p.Retire {
			v.mayStop = false
		}
	}
	for _, v := range all {
		slices.SortStableFunc(v.Running, func(a, b *policy.Job) int { return a.Start.Compare(b.Start) })
		slices.SortStableFunc(v.Waiting, func(a, b *policy.Job) int { return a.Arrive.Compare(b.Arrive) })
	}
	return all
}

// decide says which replicas of a service start, and whether one may stop: the last that started of those whose owners
// agreed.
func (c *scaling) decide(p *Policy, v *service, s *policy.Snapshot) {
	need := p.rule().Count(&v.Service, s.Now)
	serving, all := len(v.Running), policy.FormatCount(v.CountAll(), "replica")
	for _, j := range v.Waiting {
		if serving < need.Start {
			c.notes[j.ID] = fmt.Sprintf("service %s needs %d of its %s: %s", v.Name, need.Start, all, need.Why)
		} else {
			c.refusals[j.ID] = fmt.Errorf("service %s needs %d of its %s, and %d run: %s", v.Name, need.Start, all, len(v.Running), need.Why)
		}
		serving += j.TaskCount()
	}
	for _, j := range v.Running {
		c.notes[j.ID] = fmt.Sprintf("service %s needs %d of its %s: %s", v.Name, need.Start, all, need.Why)
	}
	if !v.mayStop || len(v.Running) <= need.Keep {
		return
	}
	for _, j := range slices.Backward(v.Running) {
		if j.UnstoppableReason == "" && len(j.On) > 0 && j.Ran(s.Now) >= p.MinRun && (p.MaxStops <= 0 || j.StopCount < p.MaxStops) {
			c.surplus[j.ID] = fmt.Sprintf("service %s needs %s, and %d run: %s", v.Name, policy.FormatCount(need.Keep, "replica"), len(v.Running), need.Why)
			return
		}
	}
}

// Admit implements engine.Admitter.
func (c *scaling) Admit(_ *engine.Round, e *engine.Entry) error { return c.refusals[e.ID] }

// Allocate implements engine.Allocator.
func (c *scaling) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	entries, err := line.Order(r)
	if err != nil {
		return nil, err
	}
	out := make([]engine.Assignment, len(entries))
	for i, e := range entries {
		out[i] = e.AssignmentWithoutLease()
		if out[i].Note = c.notes[e.ID]; c.atOnce {
			out[i].Grant.StopReason = c.surplus[e.ID]
		}
	}
	return out, nil
}

// tier lets all jobs of the partition of a scaled service give way to replicas, and replicas that are not needed to all
// other jobs.
func (c *scaling) tier(_ *engine.Round, e *engine.Entry) int {
	switch {
	case c.surplus[e.ID] != "":
		return 2
	case e.ReplicaOf == "" && c.serving[e.Partition]:
		return 1
	}
	return 0
}

// System describes Swayam in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "swayam", Title: "Swayam: as many replicas of inference services as their promise needs", Venue: "Middleware", Year: 2017,
		Cite:         `A. Gujarati et al., "Swayam: Distributed Autoscaling to Meet SLAs of Machine Learning Inference Services with Resource Efficiency", Middleware 2017`,
		Idea:         "Start replicas by the rate of requests that is forecast for when they are ready, so that the promised part of the answers is in time, and stop those that were not needed for a while.",
		OwnStages:    []string{"predict", "admit", "allocate", "preempt", "backfill"},
		NeededInputs: []string{"inference services: their promise, time of a request, time to set up, and requests a second", "which jobs are their replicas"},
		Fallback:     "where one replica that should report its requests is silent all run; where none should, replicas are scaled by how busy their GPUs are, and without that all run; without inference services, as under Slurm today, it is first come, first served with backfilling",
		Reproduced: "fifteen services drawn over a day, five draws: on .65 (.63-.68) of the GPU time that all replicas of their busiest minutes take, 99 % of the answers are in time in .999 (.998-1.000) of the minutes (the paper: .96); " +
			"scaled by how busy they are, on as much GPU time, they are not in 2.5 (1.8-16) times as many, though fewer answers are late. Front-ends that do not ask each other, in three hours: .9996 of the minutes, on 1.22 (1.20-1.22) times what a clairvoyant takes (the paper: up to 27 % less, which is not reproduced)",
		Deviations: []string{
			"One decision counts the replicas of a service; the paper's front-ends each scale out by their own part of the requests, and replicas that none uses leave by themselves. Studies simulate those front-ends.",
			"Answers in time are reckoned by the queue M/M/n, one line for all replicas; the paper has log-normal times and front-ends that try busy replicas one after the other.",
			"A start takes as long as Slurm and the replica need, minutes where the paper has tens of seconds: forecasts look that far ahead, and what grows faster is answered late.",
			"One replica at most is stopped within the time for which it must be idle, and only one whose owner lets it be stopped; by default only where a waiting job gets its GPUs, as nothing is gained otherwise (release=at-once: always).",
			"Jobs in a service's partition give way to its replicas if they may be stopped.",
		},
		SimulatorParams: paper.Params{"max_wait": "0s", "release": "at-once"},
	})
}
