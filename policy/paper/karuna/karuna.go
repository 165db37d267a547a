// Package karuna gives a job with a deadline just enough to meet it, as late as can be, and all else to the jobs that have least
// left to run. The paper schedules flows in a network: a flow with a deadline gets the rate by which it ends in time and
// no more, as the whole rate would hurt the others and help no one. Here an elastic job gets the fewest GPUs that
// are enough, and one of fixed size starts at the latest time that is.
//
// L. Chen, K. Chen, W. Bai, M. Alizadeh, "Scheduling Mix-flows in Commodity Datacenters with Karuna", SIGCOMM 2016.
package karuna

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/admission"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
	"fairbridge/policy/sizing"
)

// Policy is Karuna with its parameters.
type Policy struct {
	Interval time.Duration `param:"interval" default:"5m" min:"1" help:"latest starts are planned on its multiples"`
	Margin   float64       `param:"margin" default:"0.2" max:"1" help:"part by which a job's time left is stretched in plans where no standard error of it is known; its checkpoint cost comes on top"`
	Sigmas   float64       `param:"sigmas" default:"2" max:"5" help:"standard errors added to a job's time left in plans where they are known"`
	Delay    time.Duration `param:"delay" default:"2m" help:"time that may pass until a start that is due is decided and carried out"`
	Queues   []float64     `param:"queues" help:"run times in seconds at which a job of unknown length is thought to be longer and moves back; none: quartiles of finished jobs, without any 15 m, 1 h, 4 h and 16 h"`
	deadline.Rule
	paper.Limits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return p.Rule.Decide(s, p.decide)
}

func (p *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	stage := &stage{Policy: p}
	if err := stage.Recall(s); err != nil {
		return nil, fmt.Errorf("policy karuna: %w", err)
	}
	return stage.Remember(engine.Pipeline{
		Name:     "karuna",
		Predict:  predict.Ladder{},
		Admit:    stage,
		Allocate: stage,
		Place:    place.Consolidated{},
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(stage.Tier),
		Rules:    p.Rules(),
	}.Decide(s))
}

// settings are those of plans: a job may have the sizes it is faster on, the smallest that is enough.
func (p *Policy) settings() admission.Settings {
	return admission.Settings{Lease: p.Interval, Margin: p.Margin, Sigmas: p.Sigmas, Delay: p.Delay, Rules: p.Rules(),
		Levels: func(e *engine.Entry) []int { return sizing.CutAtFastest(e, sizing.Levels(e)) }}
}

// System describes Karuna in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "karuna", Title: "Karuna: deadlines with just enough", Venue: "SIGCOMM", Year: 2016,
		Cite:         `L. Chen, K. Chen, W. Bai, M. Alizadeh, "Scheduling Mix-flows in Commodity Datacenters with Karuna", SIGCOMM 2016`,
		Idea:         "Give a job with a deadline just enough to meet it, as late as can be; all else goes to the jobs that have least left to run.",
		OwnStages:    []string{"admit", "order", "size", "lease", "preempt", "backfill"},
		NeededInputs: []string{"deadlines", "how long a job still runs", "how fast an elastic job goes on other sizes"},
		Fallback:     "a job of which nothing is known moves back as it runs, and promises nothing for its deadline; one without a deadline is best effort",
		Reproduced:   "the examples of the rules; on drawn jobs on 64 GPUs, three of ten with a deadline, a 95th percentile of the completion times of the others of 1 / 1.41 of that under EDF (medians of 5 seeds; the paper has 1 / 1.9 of that under pFabric), with no deadline missed where run times are known and 1.1 % where they are off by a fifth; through a simulated Slurm neither",
		Deviations: []string{
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"Flows become jobs: the least rate is the fewest GPUs of an elastic job, and the latest start of one of fixed size; the paper's control of congestion is no scheduling on Slurm.",
			"A deadline that cannot be met beside those promised before is not promised: the job is best effort, is told by when it could be done, and is tried again at every decision.",
			"Of a job of unknown length the bounds of its queues are quartiles of finished jobs, not those that the paper's optimisation finds; it is thought to run until the end of its queue, and so stands among those of known length.",
			"Best effort gets no GPUs that plans need before it could be stopped, or, where it may not be stopped, before it ends.",
			"Devices are counted by type; a gang may find no place though there are enough, and then takes those of best effort.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"deadlines_count": "always", "margin": 0, "delay": "1m", "min_run": "1s", "max_stops": -1, "max_wait": "0s"},
	})
}

// stage is one decision.
type stage struct {
	*Policy
	admission.Decision
}

// Allocate implements engine.Allocator: first the jobs that must run now to meet their deadlines, then those without, the least
// left first, then those that need not run yet.
func (s *stage) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	s.Begin(r, s.settings())
	s.Line.AddSpare(s.bestEffort(r))
	s.Line.AddSpare(s.Planner.PromisedEntries())
	return s.Line.Assign("jobs that must run now to meet their deadlines, or have less left, take its GPUs"), nil
}

// candidate is a job with what it is thought to have left.
type candidate struct {
	*engine.Entry
	left time.Duration
}

// bestEffort lists the jobs without a promise, the least left first.
func (s *stage) bestEffort(r *engine.Round) []*engine.Entry {
	promised := make([]bool, len(r.Entries))
	for _, j := range s.Planner.Promised {
		promised[j.Index] = true
	}
	bounds := s.queueBounds(r.History)
	var all []candidate
	for _, e := range r.Entries {
		if !promised[e.Index] {
			all = append(all, candidate{e, expectedLeft(e, bounds)})
			if e.Note == "" && !r.OmitReasons {
				e.Note = fmt.Sprintf("best effort: %s left", policy.FormatDuration(all[len(all)-1].left))
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return engine.ThenArrival(cmp.Compare(a.left, b.left), a.Entry, b.Entry)
	})
	line := make([]*engine.Entry, len(all))
	for i := range all {
		line[i] = all[i].Entry
	}
	return line
}

// queueBounds are the run times at which a job of unknown length moves back.
func (p *Policy) queueBounds(history []policy.FinishedJob) []time.Duration {
	var bounds []time.Duration
	for _, seconds := range p.Queues {
		bounds = append(bounds, policy.DurationFromSeconds(seconds))
	}
	if len(bounds) == 0 {
		bounds = predict.RunTimeQuantiles(history, .25, .5, .75)
	}
	if len(bounds) == 0 {
		bounds = []time.Duration{15 * time.Minute, time.Hour, 4 * time.Hour, 16 * time.Hour}
	}
	return bounds
}

// expectedLeft is what a job has left: as it is predicted, else until the end of the queue that its run time puts it in, and in the last
// as long again.
func expectedLeft(e *engine.Entry, bounds []time.Duration) time.Duration {
	if e.Estimate().Source != "" && e.Estimate().Source != predict.FromAttained {
		return e.Estimate().TimeLeft
	}
	ran := e.TotalRunTime()
	for _, b := range bounds {
		if ran < b {
			return b - ran
		}
	}
	return ran
}
