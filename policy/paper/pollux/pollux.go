// Package pollux gives each job the number of GPUs that its goodput is worth: how much
// progress a second it makes there with the batch size that is best there.
//
// A. Qiao, S. K. Choe, S. J. Subramanya, W. Neiswanger, Q. Ho, H. Zhang, G. R. Ganger, E. P. Xing,
// "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning", OSDI 2021.
//
// A job's speedup is its goodput over that on its fair share of the cluster, less what a
// restart costs where its GPUs change. The harmonic mean of all speedups is the most it can be.
// The paper searches it genetically; here sizes are found exactly and then placed (policy/solve/sizes),
// which a test compares with such a search.
package pollux

import (
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
)

// Policy is Pollux with its parameters.
type Policy struct {
	Restart time.Duration `param:"restart" default:"30s" help:"what a change of GPUs costs a job whose checkpoint cost is not known; min_run should be 20 times that"`
	paper.Limits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan, err := engine.Pipeline{
		Name:     "pollux",
		Allocate: goodputAllocator{p},
		Place:    place.OnAssignedDevices{},
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	scaling.RecommendBatches(s, plan)
	return plan, nil
}

// System describes Pollux in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "pollux", Title: "Pollux: as many GPUs as a job's goodput is worth", Venue: "OSDI", Year: 2021,
		Cite:         `A. Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning", OSDI 2021`,
		Idea:         "Choose the number of GPUs and the batch size of every job together, so that the harmonic mean of speedups over a fair share is the most.",
		OwnStages:    []string{"order", "size", "lease", "place"},
		NeededInputs: []string{"step times on some sizes", "batch range and noise of the gradient (goodput)", "restart cost"},
		Fallback:     "without a batch range throughput alone counts; an elastic job that never reported its speed, and of whose class none did, gets at most what it asks; rigid jobs get what they ask or nothing",
		Reproduced:   "published mean JCT of its eight workloads within 2 % (2,802 s, published 2,751 s); average JCT of Tiresias 1.3 times that of Pollux, 1.1 times where a restart costs three minutes (160 jobs on 64 GPUs like the paper's, medians of 5 seeds); no worse than a genetic search on 50 clusters of 16 GPUs; examples of goodput, sizes and restart factor",
		Deviations: []string{
			"The genetic search is replaced by an exact choice of sizes, which are then placed; it is no worse than a genetic search of the paper's size on random clusters of 16 GPUs.",
			"A job runs at least 20 times its restart cost before it changes size; the paper reconsiders every job every minute.",
			"On several GPU types every type is shared by itself, among the jobs that ask for it.",
			"Sizes above twice a node are multiples of a node where there are many jobs.",
			"Batch sizes are recommended; it is the job that adapts.",
			"Growing and shrinking the cluster itself is left out.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s"},
		MayStarve:       true,
	})
}

// goodputAllocator shares the GPUs of each type among the jobs that may run on them.
type goodputAllocator struct{ *Policy }

// Allocate implements engine.Allocator.
func (a goodputAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	assignments := make([]engine.Assignment, len(r.Entries))
	for i, e := range r.Entries {
		assignments[i] = sizing.LeastWithoutLease(e)
	}
	sizing.Share(r, assignments, func(*engine.Entry) bool { return true }, a)
	line := make([]engine.Assignment, 0, len(assignments))
	for _, e := range sizing.ByArrival(r.Entries) {
		line = append(line, assignments[e.Index])
	}
	return line, nil
}

// Judge implements sizing.Judge: every place is worth its speedup.
func (a goodputAllocator) Judge(g *sizing.Group) []sizing.Worth {
	share := max(g.Devices/max(len(g.Jobs)+len(g.Fixed), 1), 1)
	all := make([]sizing.Worth, len(g.Jobs))
	for i, e := range g.Jobs {
		speedup := newSpeedup(g, e.Job, share)
		options := []int{e.DeviceCount()}
		if sizing.HasRange(e) {
			options = g.Sizes(e, e.MinGPUs, sizing.MostMeasured(e))
		}
		all[i] = sizing.Worth{Options: options, Of: speedup, Change: a.restartFactor(g.Round, e.Job), Note: func(devices, nodes int) string {
			return fmt.Sprintf("on %s it is %.2f times as fast as on its fair share of %d", policy.FormatCount(devices, "GPU"), speedup(devices, nodes), share)
		}}
	}
	return all
}

// leastFactor is the least that a job keeps of its worth elsewhere: it is never worthless to start.
const leastFactor = 1e-3

// restartFactor is what a job keeps of its worth if it restarted now.
func (p *Policy) restartFactor(r *engine.Round, j *policy.Job) float64 {
	cost := sizing.RestartRule{Cost: p.Restart}.CostOf(j)
	return max(sizing.LifeFactor(r.Now.Sub(j.Arrive), cost, j.StopCount), leastFactor)
}

// newSpeedup returns the speedup of a job over its fair share: its goodput by that on as many
// devices as each job would have, on as few nodes as can be. A job that cannot use so many is
// compared with what it can.
func newSpeedup(g *sizing.Group, j *policy.Job, share int) func(devices, nodes int) float64 {
	curve := scaling.New(j)
	fair := 0.
	for part := share; part > 0 && fair <= 0; part /= 2 {
		fair = curve.Goodput(scaling.Size{Type: g.GPUType, Devices: part, Nodes: (part + g.MostOnNode - 1) / g.MostOnNode}) * float64(share) / float64(part)
	}
	goodput := g.GoodputOf(j)
	return func(devices, nodes int) float64 {
		if fair <= 0 {
			return 0
		}
		return goodput(devices, nodes) / fair
	}
}
