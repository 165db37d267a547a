// Package sia gives each job at most one configuration, a GPU type and a number of GPUs, so
// that the goodputs of all jobs together, each relative to the least its job could have, are
// best; the choice is made anew in every round, and what a restart costs counts against every
// configuration but the present one.
//
// S. Jayaram Subramanya, D. Arfeen, S. Lin, A. Qiao, Z. Jia, G. R. Ganger, "Sia:
// Heterogeneity-aware, goodput-optimized ML-cluster scheduling", SOSP 2023.
//
// The published system solves an integer programme by a solver for any such; package
// solve/choice is made for this one, says how far from the best its choice may be, and takes
// milliseconds.
package sia

import (
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
)

// Policy is Sia with its parameters.
type Policy struct {
	Power    float64            `param:"power" default:"-0.5" min:"-8" max:"-0.01" help:"power of the goodputs whose sum is made least; the more negative, the fairer"`
	Idle     float64            `param:"idle" default:"1.1" min:"0" help:"what a job without a configuration adds to that sum; above 1, running at the least is better than waiting"`
	Restart  time.Duration      `param:"restart" default:"30s" help:"what a restart costs a job of which that is not known"`
	Restarts map[string]float64 `param:"restarts" help:"seconds a restart costs by the job's class, before what the job says itself"`
	Settle   int                `param:"settle" default:"20" min:"0" help:"how many times its restart cost a job runs at least before it is stopped"`
	Ties     int                `param:"ties" default:"0" min:"0" help:"0: of choices that are equal in hundredths the one that is best without rounding; else drawn with this seed, to measure how much hangs on it"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	rules := p.Rules()
	rules.MinRunCheckpoints = max(p.Settle, 1)
	return engine.Pipeline{
		Name:     "sia",
		Allocate: allocator{p},
		Place:    place.OnAssignedDevices{},
		Backfill: backfill.Greedy{},
		Rules:    rules,
	}.Decide(s)
}

// System describes Sia in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "sia", Title: "Sia", Venue: "SOSP", Year: 2023,
		Cite:         `S. Jayaram Subramanya et al., "Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling", SOSP 2023`,
		Idea:         "Choose for each job one GPU type and count, so that all jobs' goodputs, relative to their least, are best together.",
		OwnStages:    []string{"order", "size", "lease", "place", "backfill"},
		NeededInputs: []string{"speed by GPU type and number of GPUs, with batch range and noise scale where the job adapts its batch", "the range of GPUs and the GPU types an elastic job accepts", "restart cost"},
		Fallback:     "a job that declares no range keeps the GPUs it asks for; an elastic one that never reported its speed, and of whose class none did, gets at most what it asks; other types are reckoned by data sheets",
		Reproduced:   "by clock sia the average completion times of its published simulator on the first Philly and Saturn workloads within 1.5 % (2 % at the worst of four ways to settle equal choices), and, where one GPU of every type is measured before a job begins, the paper's averages and makespans over all of them (0.60 and 14.0 h for 0.6 and 14.2; 0.69 and 14.9 h for 0.7 and 14.9); average completion time 1.98 times as good as Gavel's with fixed sizes on drawn workloads of three GPU types (median of five, 1.80 to 2.26; the paper has 1.4 to 14), and 1.1 times where all sizes are fixed",
		Deviations: []string{
			"The choice is made by prices and a dynamic programme, with a bound on what it may miss, instead of a general solver.",
			"Of choices that the published rounding to hundredths makes equal, the one that is best without rounding is taken.",
			"On nodes that the published sizes do not fit (jobs of three GPUs, say), gangs go where there is room.",
			"Under Slurm 22.05, and elsewhere without mode elastic, a job stays on the GPU type it asks for.",
		},
		AdaptsBatches:   true,
		SimulatorParams: paper.Params{"min_run": "1s", "settle": 1, "max_stops": -1, "max_wait": "0s"},
	})
}

// kind is a GPU type of the round.
type kind struct {
	gpuType   string
	perNode   int // devices of a whole node: the most of any node that is up
	fullNodes int // that have so many
	capacity  int // devices that are free or held by jobs that may be stopped
}

// listKinds returns the types of the nodes, in the order of the round.
func listKinds(r *engine.Round) []kind {
	var kinds []kind
	for _, gpuType := range r.GPUTypes() {
		kinds = append(kinds, kind{gpuType: gpuType, capacity: r.FreePool.TotalFree(gpuType)})
	}
	for i := range r.Nodes {
		if n := &r.Nodes[i]; n.DownReason == "" {
			for _, d := range n.GPUs {
				kindOf(kinds, d.Type).addNode(d.Count - d.SickCount)
			}
		}
	}
	for _, e := range r.RunningEntries() {
		if e.IsUnstoppable {
			continue
		}
		for _, slot := range e.On {
			if k := kindOf(kinds, slot.Type); k != nil {
				k.capacity += slot.Count
			}
		}
	}
	for i := range kinds {
		kinds[i].capacity = max(kinds[i].capacity, 0)
	}
	return kinds
}

func kindOf(kinds []kind, gpuType string) *kind {
	for i := range kinds {
		if kinds[i].gpuType == gpuType {
			return &kinds[i]
		}
	}
	return nil
}

func (k *kind) addNode(devices int) {
	switch {
	case devices > k.perNode:
		k.perNode, k.fullNodes = devices, 1
	case devices == k.perNode:
		k.fullNodes++
	}
}

// sizes are the numbers of devices a job may have of the type: powers of two on part of a
// node, and whole nodes.
func (k *kind) sizes() []int {
	var sizes []int
	for n := 1; n < k.perNode; n *= 2 {
		sizes = append(sizes, n)
	}
	for n := 1; n <= k.fullNodes && k.perNode > 0; n++ {
		sizes = append(sizes, n*k.perNode)
	}
	return sizes
}

// fewestNodes is how many nodes so many devices take.
func (k *kind) fewestNodes(devices int) int {
	return (devices + max(k.perNode, 1) - 1) / max(k.perNode, 1)
}

// accepts reports whether the job may have devices of the type, and is not known to be unable
// to use them.
func accepts(r *engine.Round, j *policy.Job, gpuType string) bool {
	if !j.AcceptsType(gpuType) || gpuType != j.Ask.GPUs.Type && !slices.Contains(r.FreePool.WholeGPUTypes(), gpuType) {
		return false
	}
	if j.Training != nil && len(j.Training.Rates) > 0 {
		rate, known := j.Training.Rate(gpuType)
		return known && rate > 0
	}
	return true
}
