package mlfrl

import (
	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/learner"
	"fairbridge/bridge/study/train/evolve"
	"fairbridge/policy"
	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/solve/network"
)

// Learner says how mlf-rl is taught.
func Learner() *learner.Learner {
	return &learner.Learner{
		Policy: "mlf-rl",
		About: `The network by which policy mlf-rl ranks jobs learns first to rank them as its teacher,
MLF-H of policy mlfs, then by changes of its weights that pay, by how long jobs take and
which deadlines they meet.`,
		Numbers:   append(learner.SharedNumbers(160, 80, 1.2), evolve.Numbers(15, 8, 3, 6)...),
		Baselines: "srtf",
		Draw: func(v learner.Values, seed int64) exact.Config {
			return Workload{JobCount: int(v["jobs"]), GPUs: int(v["gpus"]), Load: v["load"]}.Draw(seed)
		},
		ForTrace: func(c *exact.Config, seed int64) { giveTraceGoals(c.Jobs, seed) },
		New: func(s learner.Settings, state []byte) (learner.Training, error) {
			return evolve.NewTrainer(newTask(s.Source), evolve.NewSettings(s), state)
		},
		NewPolicy: func(raw []byte) (policy.Policy, error) {
			w, err := policymlfrl.ReadWeights(raw)
			if err != nil {
				return nil, err
			}
			return newPolicy(policymlfrl.Score{Network: &w.Network})
		},
	}
}

// newTask is what the network is taught on workloads of a source.
func newTask(source learner.Source) evolve.Task {
	return evolve.Task{
		Features: mlfs.FeatureNames(), Version: policymlfrl.WeightsVersion, Teacher: "MLF-H", Reward: reward,
		Imitate: func(seeds []int64) (inputs [][]float64, targets []float64, err error) {
			rec := &recorder{every: 7}
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
			return simulate(source, seed, policymlfrl.Score{Network: n})
		},
	}
}
