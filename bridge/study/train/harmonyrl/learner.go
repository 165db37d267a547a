// Package harmonyrl teaches the agent of policy harmony-rl in the exact simulator: first to take what raises the predicted reward of a GPU
// most, then by how long jobs take, beside harmony's search.
package harmonyrl

import (
	"fmt"
	"math"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/learner"
	"fairbridge/bridge/study/train/evolve"
	"fairbridge/policy"
	"fairbridge/policy/paper/harmony"
	policyrl "fairbridge/policy/paper/harmonyrl"
	"fairbridge/policy/solve/network"
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
