package symphonynet

import (
	"encoding/json"
	"fmt"

	"fairbridge/lab/exact"
	"fairbridge/lab/learner"
	"fairbridge/lab/train/gradient"
	"fairbridge/policy"
	policynet "fairbridge/policy/paper/symphonynet"
	"fairbridge/policy/solve/network"
)

// Learner says how symphony-net is taught.
func Learner() *learner.Learner {
	return &learner.Learner{
		Policy: "symphony-net",
		About: `The network of policy symphony-net learns to correct what a filter believes of how
much of their GPUs jobs use, from counters that err, fail and come late, in simulations,
which know what they truly use.`,
		Numbers: append(learner.SharedNumbers(float64(ReproducedDay.JobCount), float64(ReproducedDay.GPUs), ReproducedDay.Load),
			learner.Number{Name: "rounds", Help: "workloads it learns from", Default: 60, Least: 1, Most: 100_000, IsWhole: true},
			learner.Number{Name: "turns", Help: "times that what is seen of each is learnt", Default: 4, Least: 1, Most: 1000, IsWhole: true}),
		Draw: func(v learner.Values, seed int64) exact.Config {
			return Workload{JobCount: int(v["jobs"]), GPUs: int(v["gpus"]), Load: v["load"]}.Draw(seed)
		},
		ForTrace: forTrace,
		Surround: func(p policy.Policy, c *exact.Config, seed int64) policy.Policy { return surround(p, c, seed) },
		New: func(s learner.Settings, state []byte) (learner.Training, error) {
			t := newTrainer(Settings{Seed: s.Seed, Source: s.Source, Rounds: int(s.Values["rounds"]), Turns: int(s.Values["turns"])})
			return t, t.resume(state)
		},
		NewPolicy: func(raw []byte) (policy.Policy, error) {
			w, err := policynet.ReadWeights(raw)
			if err != nil {
				return nil, err
			}
			return policynet.NewTrainee(&w.Network)
		},
		Errors: &learner.ErrorFigure{
			Title: "root mean square error of what is believed of running jobs, scheduled by symphony, over the filter's",
			Measure: func(raw []byte, c exact.Config, seed int64) (float64, error) {
				w, err := policynet.ReadWeights(raw)
				if err != nil {
					return 0, err
				}
				e, err := MeasureErrors(c, seed, "symphony", &w.Network, nil)
				return e.Network / e.Filter, err
			},
		},
	}
}

// state is what a training goes on from.
type state struct {
	Chance  []byte          `json:"chance"`
	Network network.Network `json:"network"`
	Adam    *gradient.Adam  `json:"adam"`
	Best    network.Network `json:"best"`
	Least   float64         `json:"least"`
	Round   int             `json:"round"`
}

// State implements learner.Training.
func (t *trainer) State() ([]byte, error) {
	chance, err := t.source.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(state{chance, t.net, t.adam, t.best, t.least, t.round})
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
	if err := t.source.UnmarshalBinary(s.Chance); err != nil || s.Adam == nil {
		return fmt.Errorf("reading the state of a training: it is not whole (%w)", err)
	}
	t.net, t.adam, t.best, t.least, t.round = s.Network, s.Adam, s.Best, s.Least, s.Round
	t.adam.Resume(&t.net)
	return nil
}
