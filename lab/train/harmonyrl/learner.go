// Package harmonyrl teaches the agent of policy harmony-rl in the exact simulator: first to take what raises the predicted reward of a GPU
// most, then by how long jobs take, beside harmony's search.
package harmonyrl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/learner"
	"fairbridge/lab/neighbours"
	"fairbridge/lab/train/evolve"
	"fairbridge/policy"
	"fairbridge/policy/paper/harmony"
	policyrl "fairbridge/policy/paper/harmonyrl"
	"fairbridge/policy/solve/network"
	"fairbridge/replica/workload"
)

// Learner says how harmony-rl is taught.
func Learner() *learner.Learner {
	return &learner.Learner{
		Policy: "harmony-rl",
		About: `The network by which policy harmony-rl places jobs learns first to take what raises the
predicted reward of a GPU most, then by changes of its weights that pay, by how long jobs
take beside its teacher, the search of policy harmony.`,
		Numbers:   append(learner.SharedNumbers(200, 24, .6), evolve.Numbers(40, 8, 8, 8)...),
		Baselines: "harmony:placement=best_fit",
		Draw: func(v learner.Values, seed int64) exact.Config {
			return Workload{JobCount: int(v["jobs"]), GPUs: int(v["gpus"]), Load: v["load"]}.Draw(seed)
		},
		ForTrace: forTrace,
		New: func(s learner.Settings, state []byte) (learner.Training, error) {
			return evolve.NewTrainer(newTask(s.Source), evolve.NewSettings(s), state)
		},
		NewPolicy: func(raw []byte) (policy.Policy, error) {
			w, err := policyrl.ReadWeights(raw)
			if err != nil {
				return nil, err
			}
			return policyrl.NewTrainee(policyrl.Score{Network: &w.Network})
		},
	}
}

// newTask is what the network is taught on workloads of a source.
func newTask(source learner.Source) evolve.Task {
	return evolve.Task{
		Features: harmony.AgentFeatureNames(), Version: policyrl.WeightsVersion, Teacher: "the most reward of a GPU, then harmony's search",
		Reward: func(o, teacher evolve.Outcome) float64 { return teacher.MeanSeconds / o.MeanSeconds },
		Imitate: func(seeds []int64) (inputs [][]float64, targets []float64, err error) {
			rec := &recorder{}
			for _, seed := range seeds {
				if _, err := simulate(source, seed, rec); err != nil {
					return nil, nil, err
				}
			}
			return rec.inputs, rec.targets, nil
		},
		Simulate: func(seed int64, n *network.Network) (evolve.Outcome, error) {
			if n == nil {
				return simulate(source, seed, nil)
			}
			return simulate(source, seed, policyrl.Score{Network: n})
		},
	}
}

// recordedEvery is which of the places that are scored is recorded: those of one decision are alike.
const recordedEvery = 7

// recorder scores by the predicted reward of each GPU, and records what it saw.
type recorder struct {
	seen    int
	inputs  [][]float64
	targets []float64
}

// Score implements harmony.Agent.
func (r *recorder) Score(features []float64, gainPerGPU float64) float64 {
	score := math.Log(max(gainPerGPU, 1e-4)) / 4
	if r.seen++; r.seen%recordedEvery == 0 {
		r.inputs, r.targets = append(r.inputs, features), append(r.targets, score)
	}
	return score
}

// simulate runs a workload with placements by an agent; nil: by the search.
func simulate(source learner.Source, seed int64, a harmony.Agent) (o evolve.Outcome, err error) {
	c, err := source.Draw(seed)
	if err != nil {
		return o, err
	}
	if c.Policy, err = policyrl.NewTrainee(a); err == nil && a == nil {
		params := policyrl.System().SimulatorParams
		params["by"] = "search"
		c.Policy, err = policyrl.System().New(params)
	}
	if err != nil {
		return o, err
	}
	run, err := exact.Run(c)
	if err != nil {
		return o, fmt.Errorf("simulating workload %d to learn from: %w", seed, err)
	}
	return evolve.Outcome{MeanSeconds: run.Summarize().AvgJCT}, nil
}

// Workload is drawn jobs of 2 to 8 GPUs that come by chance, of eight classes, for servers of four GPUs on which jobs slow each
// other, as in the experiments of Harmony.
type Workload struct {
	JobCount int
	GPUs     int
	Load     float64 // work that arrives, as a part of what the GPUs can do
}

// ReproducedWorkload is that of the figures of harmony.
var ReproducedWorkload = Workload{JobCount: 200, GPUs: 24, Load: .6}

// Draw returns the simulation of a seed, without its policy.
func (w Workload) Draw(seed int64) exact.Config {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	jobs, now := make([]workload.Job, w.JobCount), 0.0
	const meanSeconds, meanGPUs = 3600., 5.
	for i := range jobs {
		now += r.ExpFloat64() * meanSeconds * meanGPUs / float64(w.GPUs) / w.Load
		jobs[i] = workload.Job{ID: int64(i + 1), User: fmt.Sprint("u", i%8), Account: "a", Class: string(rune('A' + r.IntN(8))), GPUs: 2 + r.IntN(7), Arrive: math.Floor(now),
			Duration: math.Ceil(meanSeconds * math.Exp(.8*r.NormFloat64()-.32))}
		jobs[i].GPUs = min(jobs[i].GPUs, w.GPUs)
	}
	c := exact.Config{Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 5*time.Minute, 0), OmitsReasons: true, NodeInterference: Truth(seed)}
	for i := range (w.GPUs + 3) / 4 {
		c.Nodes = append(c.Nodes, policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: "v100", Count: min(4, w.GPUs-4*i)}}})
	}
	return c
}

// Truth is how jobs of a seed slow each other: a neighbour on half of a node costs a sixth to a half of the speed.
func Truth(seed int64) *neighbours.OnNode {
	return &neighbours.OnNode{Seed: uint64(seed), MeanLoss: 1. / 3, MostLoss: .5, OwnSpread: .1}
}

// forTrace gives jobs of a trace that have no class one by their user and name, and lets them slow each other.
func forTrace(c *exact.Config, seed int64) {
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if j.Class == "" {
			h := uint32(0)
			for _, b := range []byte(j.User + "|" + j.Name) {
				h = h*31 + uint32(b)
			}
			j.Class = string(rune('A' + h%8))
		}
	}
	c.NodeInterference = Truth(seed)
}
