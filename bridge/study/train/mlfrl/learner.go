package mlfrl

import (
	"encoding/json"
	"fmt"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/learner"
	"fairbridge/policy"
	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/solve/network"
)

// Learner says how mlf-rl is taught.
func Learner() *learner.Learner {
	return &learner.Learner{
		Policy: "mlf-rl",
		About: `The network by which policy mlf-rl ranks jobs learns first to rank them as its teacher,
MLF-H of policy mlfs, then by changes of its weights that pay, by how long jobs take and
which deadlines they meet.`,
		Numbers: append(learner.SharedNumbers(160, 80, 1.2),
			learner.Number{Name: "rounds", Help: "rounds of improvement; 0: only as the teacher does", Default: 15, Most: 100_000, IsWhole: true},
			learner.Number{Name: "pairs", Help: "changes of the weights, each with its opposite, tried in a round", Default: 8, Least: 1, Most: 1000, IsWhole: true},
			learner.Number{Name: "runs", Help: "simulations of each change", Default: 3, Least: 1, Most: 100, IsWhole: true},
			learner.Number{Name: "imitation-runs", Help: "simulations of the teacher to learn from", Default: 6, Least: 1, Most: 1000, IsWhole: true}),
		Baselines: "srtf",
		Draw: func(v learner.Values, seed int64) exact.Config {
			return Workload{JobCount: int(v["jobs"]), GPUs: int(v["gpus"]), Load: v["load"]}.Draw(seed)
		},
		ForTrace: func(c *exact.Config, seed int64) { giveTraceGoals(c.Jobs, seed) },
		New: func(s learner.Settings, state []byte) (learner.Training, error) {
			t := newTrainer(newSettings(s))
			return t, t.resume(state)
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

// newSettings are those of a training as the command has them.
func newSettings(s learner.Settings) Settings {
	whole := func(name string) int { return int(s.Values[name]) }
	return Settings{Seed: s.Seed, Source: s.Source, Rounds: whole("rounds"), Pairs: whole("pairs"), RunsPerChange: whole("runs"), ImitationRuns: whole("imitation-runs")}
}

// state is what a training goes on from.
type state struct {
	Chance   []byte          `json:"chance"`
	Network  network.Network `json:"network"`
	Best     network.Network `json:"best"`
	Most     float64         `json:"most"`
	Judges   []trial         `json:"judges"`
	Imitated bool            `json:"imitated"`
	Round    int             `json:"round"`
}

// State implements learner.Training.
func (t *trainer) State() ([]byte, error) {
	chance, err := t.source.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(state{chance, t.net, t.best, t.most, t.judges, t.imitated, t.round})
}

// resume brings the training to a state; nil: it stays at its beginning.
func (t *trainer) resume(raw []byte) error {
	if raw == nil {
		return nil
	}
	var s state
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("reading the state of a training: %w", err)
	}
	if err := t.source.UnmarshalBinary(s.Chance); err != nil {
		return fmt.Errorf("reading the state of a training: it is not whole (%w)", err)
	}
	t.net, t.best, t.most, t.judges, t.imitated, t.round = s.Network, s.Best, s.Most, s.Judges, s.Imitated, s.Round
	return nil
}
