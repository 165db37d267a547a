package mlfrl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	policymlfrl "fairbridge/policy/paper/mlfrl"
	"fairbridge/policy/solve/network"
)

// Trial is how weights did on a workload they did not learn from.
type Trial struct {
	Seed    int64   `json:"seed"`
	Teacher Outcome `json:"teacher"` // by MLF-H
	Network Outcome `json:"network"` // by the weights
}

// TryWeights tries weights on workloads of the seeds from 1, which no training draws.
func TryWeights(ctx context.Context, w *network.Weights, on Workload, seeds int) ([]Trial, error) {
	trials := []Trial{}
	for seed := range int64(seeds) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := Trial{Seed: seed + 1}
		var err error
		if x.Teacher, err = simulate(on, x.Seed, nil); err != nil {
			return nil, err
		}
		if x.Network, err = simulate(on, x.Seed, policymlfrl.Score{Network: &w.Network}); err != nil {
			return nil, err
		}
		trials = append(trials, x)
	}
	return trials, nil
}

// WriteWeights writes weights as policy mlf-rl reads them.
func WriteWeights(to io.Writer, w *network.Weights) error {
	raw, err := json.MarshalIndent(w, "", " ")
	if err != nil {
		return fmt.Errorf("encoding weights: %w", err)
	}
	_, err = to.Write(append(raw, '\n'))
	return err
}
