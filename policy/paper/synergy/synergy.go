// Package synergy gives jobs cores and memory by what they make of them. Which job gets GPUs, and
// how many, is for another policy to say; but in place of as many cores and as much memory with each GPU
// a job gets as little as leaves it no slower than that, and what is left over goes to the jobs on the same
// node that gain most by it: those that prepare images or sound are several times as fast with more
// cores, those that read text need hardly any.
//
// J. Mohan, A. Phanishayee, J. Kulkarni, V. Chidambaram, "Looking Beyond GPUs for DNN Scheduling on
// Multi-Tenant Clusters", OSDI 2022.
//
// Slurm fixes the cores of a job when it starts, so what runs keeps what it has unless restarts are
// allowed; and the share of GPUs that idle is left for the jobs that come.
package synergy

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve/bundles"
)

// Values of Policy.Base.
const (
	baseArrival  = "fifo"
	baseAttained = "las"
	baseLength   = "srtf"
)

// Values of Policy.How.
const (
	byShare  = "proportional"
	byGreed  = "greedy"
	byTuning = "tune"
	byPrices = "opt"
)

// Policy is Synergy with its parameters.
type Policy struct {
	Base string `param:"base" choices:"fifo,las,srtf" default:"fifo" help:"which job gets GPUs first: the first to arrive, none is stopped for another; the one that had least of them; the one with least time left"`
	How  string `param:"how" choices:"tune,opt,greedy,proportional" default:"tune" help:"cores and memory: tune, what each job needs and no job less than with its share; opt, chosen for all jobs together as if all nodes were one; greedy, what each needs or it waits; proportional, its share by GPUs"`
	Fill bool   `param:"fill" default:"true" help:"give what is left over on a node to the jobs there that gain most by it (not with greedy and proportional); false: it idles, as in the paper"`
	// Retune is what the paper does, where it costs nothing.
	Retune bool `param:"retune" help:"restart running jobs with other cores and memory wherever the jobs beside them change; false: a job keeps what it started with"`
	paper.PatientLimits
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return engine.Pipeline{
		Name:     "synergy",
		Predict:  predict.Ladder{},
		Allocate: &allocator{Policy: p},
		Place:    place.OnAssignedDevices{},
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
}

// System describes Synergy in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "synergy", Title: "Synergy: cores and memory by sensitivity", Venue: "OSDI", Year: 2022,
		Cite:         `J. Mohan et al., "Looking Beyond GPUs for DNN Scheduling on Multi-Tenant Clusters", OSDI 2022`,
		Idea:         "Take cores and memory from jobs that make nothing of them and give them to those beside them that do; no job is slower than with its share.",
		OwnStages:    []string{"predict", "order", "lease", "place", "amounts"},
		NeededInputs: []string{"speed by cores and memory beside each GPU, and whether its owner accepts less than asked"},
		Fallback:     "jobs of which nothing is known get what they ask",
		Reproduced: "128 GPUs, 20 % image, 70 % language and 10 % speech models: average completion time with shares by GPUs over that with tuning at least 1.2 " +
			"at the knee; tuned throughput at least 0.9 of the best there is",
		Deviations: []string{
			"A job keeps the cores and memory it starts with (retune=false), as under Slurm; the paper changes those of running jobs every round.",
			"Without retune the share of GPUs that idle is kept for the jobs that come, and a job whose share others hold waits until they end.",
			"What a node has left over goes to the jobs that gain most by it; in the paper it idles when others were set back to their share (fill=false).",
			"Running jobs stay on their nodes; the paper places all jobs anew every round.",
			"fairbridge changes cores and memory of no job of Slurm yet: on a cluster, where no speeds by cores are known, it serves as its base would.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1, "max_wait": "0s", "retune": true},
	})
}

// settleServers says at last what the open jobs get: with Fill all that the servers can lend goes to those
// that gain most by it, without it none has more than its share where that would be lent and cannot be.
func (t *table) settleServers() {
	if t.How == byGreed || t.How == byShare {
		return
	}
	for i := range t.round.Nodes {
		s := t.servers[t.round.Nodes[i].Name]
		if len(s.open) == 0 || t.Fill && t.fillServer(s) {
			continue
		}
		kept := t.freeToLend(s, t.freeGPUs(s))
		free := pool.FreeAmounts(t.round.FreePool, s.node.Name)
		t.setBack(s, policy.Amounts{CPUs: free.CPUs - kept.CPUs, MemMB: free.MemMB - kept.MemMB})
	}
}

// fillServer begins with the least with which each job is no slower than with its share, or with what was
// chosen for all jobs together. It reports whether there is as much.
func (t *table) fillServer(s *server) bool {
	capacity := t.freeToLend(s, t.freeGPUs(s))
	items, start := make([][]bundles.Bundle, len(s.open)), make([]int, len(s.open))
	var least policy.Amounts
	for i, c := range s.open {
		capacity = policy.Amounts{CPUs: capacity.CPUs + c.amounts.CPUs, MemMB: capacity.MemMB + c.amounts.MemMB}
		items[i] = c.need.bundles()
		if at := slices.IndexFunc(c.need.options, func(o option) bool { return o.Amounts == c.amounts }); t.How == byPrices && at > 0 {
			start[i] = at
		}
		o := c.need.options[start[i]]
		least = policy.Amounts{CPUs: least.CPUs + o.CPUs, MemMB: least.MemMB + o.MemMB}
	}
	if !least.Fits(capacity) {
		return false
	}
	chosen := bundles.Fill([2]float64{float64(capacity.CPUs), float64(capacity.MemMB)}, items, start)
	for i, c := range s.open {
		t.change(c, c.need.options[chosen[i]].Amounts)
	}
	return true
}
