// Package pcs makes it predictable when a job will be done: jobs of like service share a queue,
// in which the first come are served first, and each queue is sure of its part of the GPUs.
// A job that comes later delays those before it only in so far as its queue takes back its
// part, so what is predicted at arrival holds, at little cost in completion time.
//
// A. B. Faisal, N. Martin, H. M. Bashir, S. Lamelas, F. R. Dogar, "When will my ML Job finish?
// Toward providing Completion Time Estimates through Predictability-Centric Scheduling",
// OSDI 2024.
package pcs

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/queues"
)

// Policy is PCS with its parameters.
type Policy struct {
	Load       []float64     `param:"load" help:"which part of all service the jobs of the first queue have, of the first two, and so on, all below 1; as service was seen to be; empty: 0.08"`
	Thresholds []float64     `param:"thresholds" help:"up to how many GPU-seconds a job belongs to the first queue, the second, and so on, in place of load"`
	Shares     []float64     `param:"shares" help:"which part of the GPUs the first queue is sure of, the first two, and so on, all below 1: as many as load or thresholds has; empty: 0.9 where there are two queues, else equal parts"`
	Clip       float64       `param:"clip" default:"0.5" max:"1" help:"no job of a queue gets GPUs that do less than this part of what its first does while others of the queue can use them better"`
	Delta      float64       `param:"delta" default:"0.1" max:"1" help:"by how much clip is lowered where GPUs are left over; 0: to nothing at once"`
	Gain       float64       `param:"gain" default:"3" help:"how many times the cost of a restart a running job must gain by growing; 0: any gain"`
	ResizeCost time.Duration `param:"resize_cost" default:"60s" help:"what a restart costs a job that does not say"`
	paper.Limits
}

// The defaults of lists: what a search on drawn applications chose; see package
// lab/fluid.
var (
	defaultLoad   = []float64{.08}
	defaultShares = []float64{.9}
)

// Classes tells jobs apart by service, and what it has seen of it.
type Classes struct {
	load, thresholds []float64
	Seen             []float64 // services of the jobs that came, the latest last; GPU-seconds
}

// maxSeen bounds how many services are remembered.
const maxSeen = 512

// Classes returns how the policy tells jobs apart, and the rates of their queues. The error
// says which parameters do not go together.
func (p *Policy) Classes() (*Classes, queues.Settings, error) {
	c := &Classes{load: p.Load, thresholds: p.Thresholds}
	if len(c.load)+len(c.thresholds) == 0 {
		c.load = defaultLoad
	}
	bounds := max(len(c.load), len(c.thresholds))
	shares := p.Shares
	switch {
	case len(p.Load) > 0 && len(p.Thresholds) > 0:
		return nil, queues.Settings{}, fmt.Errorf("load and thresholds both say which jobs share a queue: give one of them")
	case len(shares) == 0:
		shares = equalShares(bounds)
	case len(shares) != bounds:
		return nil, queues.Settings{}, fmt.Errorf("%d shares for %d queues: the last queue has what is left, so give %d", len(shares), bounds+1, bounds)
	}
	for _, parts := range [][]float64{c.load, shares} {
		if n := len(parts); n > 0 && parts[n-1] >= 1 {
			return nil, queues.Settings{}, fmt.Errorf("a part of %g leaves nothing to the last queue: give parts below 1", parts[n-1])
		}
	}
	return c, queues.Settings{Rates: queues.RatesOfShares(shares), Clip: p.Clip, Delta: p.Delta}, nil
}

func equalShares(bounds int) []float64 {
	if bounds == len(defaultShares) {
		return defaultShares
	}
	shares := make([]float64, bounds)
	for i := range shares {
		shares[i] = float64(i+1) / float64(bounds+1)
	}
	return shares
}

// Of returns the class of a service in GPU-seconds.
func (c *Classes) Of(service float64) int {
	if len(c.thresholds) > 0 {
		return queues.ClassOf(service, c.thresholds)
	}
	return queues.ClassByLoad(service, c.Seen, c.load)
}

// OfArrival returns the class of a job that arrives, and remembers its service.
func (c *Classes) OfArrival(service float64) int {
	class := c.Of(service)
	if c.Seen = append(c.Seen[:len(c.Seen):len(c.Seen)], service); len(c.Seen) > maxSeen {
		c.Seen = c.Seen[1:]
	}
	return class
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	classes, settings, err := p.Classes()
	if err != nil {
		return nil, fmt.Errorf("policy pcs: %w", err)
	}
	last, err := recallArrivals(s)
	if err != nil {
		return nil, fmt.Errorf("policy pcs: %w", err)
	}
	classes.Seen = last.Seen
	stage := &allocator{RestartRule: sizing.RestartRule{MinGain: p.Gain, Cost: p.ResizeCost}, classes: classes, settings: settings, last: last}
	plan, err := engine.Pipeline{
		Name:     "pcs",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.next)
	return plan, nil
}

// System describes PCS in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "pcs", Title: "Predictability-centric scheduling", Venue: "OSDI", Year: 2024,
		Cite:         `A. B. Faisal, N. Martin, H. M. Bashir, S. Lamelas, F. R. Dogar, "When will my ML Job finish? Toward providing Completion Time Estimates through Predictability-Centric Scheduling", OSDI 2024`,
		Idea:         "Queues for jobs of like service, each sure of its part of the GPUs and first come first served within, so that ends can be predicted.",
		OwnStages:    []string{"predict", "allocate", "backfill"},
		NeededInputs: []string{"how long a job runs, when it arrives", "the range of GPUs it can run on and how fast it goes on them"},
		Fallback:     "a job of which nothing is known begins in the first queue, and goes to a later one as it receives service; one without a range gets all it asks or nothing",
		Reproduced:   "PCS' simulator and its three published settings to the digit (clock pcs): completion times and errors of predictions",
		Deviations: []string{
			"Queues are bounded by parts of the service that was seen, so that they fit any cluster; thresholds in GPU-seconds are the paper's.",
			"GPUs are whole: shares are rounded by largest remainders within what each job can use.",
			"A job that received more than its class stands for goes to the next: lengths may be estimated wrongly.",
			"Settings are searched on a grid on drawn applications; the paper searches by evolution on each workload.",
			"A running job grows only where it is worth its restart, and under Slurm sizes change only where mode and owner allow it.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		MayStarve:       true,
	})
}
