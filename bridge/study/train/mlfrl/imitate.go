package mlfrl

import (
	"fmt"
	"math"
	"slices"

	"fairbridge/policy/paper/mlfs"
	"fairbridge/policy/solve/network"
	"fairbridge/policy/solve/ridge"
)

// target is what a network is to score where the heuristic has a priority: of the same order, and small.
func target(priority float64) float64 { return math.Log(max(priority, 1e-6)) / 4 }

// imitate teaches the network to score as the heuristic ranks: its hidden layer is drawn and stays, and the weights above it
// are those of least squares.
func (t *trainer) imitate() (said string, err error) {
	rec := &recorder{every: 7}
	for range t.ImitationRuns {
		if _, err := simulate(t.Source, t.nextSeed(), rec); err != nil {
			return "", err
		}
	}
	t.net = t.newNetwork()
	var sums ridge.Sums
	for i, x := range rec.inputs {
		sums = sums.Add(append(t.net.Layers[0].Outputs(x, true), 1), rec.targets[i], 1)
	}
	w := sums.Solve(make([]float64, hiddenWidth+1), 1e-3)
	top := &t.net.Layers[1]
	top.Weights[0], top.Bias[0] = slices.Clone(w[:hiddenWidth]), w[hiddenWidth]
	return fmt.Sprintf("imitation: of %d priorities, %.1f %% of pairs are in their order", len(rec.targets), 100*t.agreement(rec)), nil
}

// newNetwork draws the hidden layer; the output is 0.
func (t *trainer) newNetwork() network.Network {
	inputs := len(mlfs.FeatureNames())
	hidden := network.Layer{Bias: make([]float64, hiddenWidth)}
	for k := range hiddenWidth {
		row := make([]float64, inputs)
		for i := range row {
			row[i] = t.random.NormFloat64()
		}
		hidden.Weights, hidden.Bias[k] = append(hidden.Weights, row), .5*t.random.NormFloat64()
	}
	return network.Network{Layers: []network.Layer{hidden, {Weights: [][]float64{make([]float64, hiddenWidth)}, Bias: []float64{0}}}}
}

// agreement is which part of drawn pairs the network ranks as the heuristic.
func (t *trainer) agreement(rec *recorder) float64 {
	same, all := 0.0, 0.0
	for range 20_000 {
		a, b := t.random.IntN(len(rec.inputs)), t.random.IntN(len(rec.inputs))
		if rec.targets[a] == rec.targets[b] {
			continue
		}
		if all++; (t.net.Forward(rec.inputs[a]) > t.net.Forward(rec.inputs[b])) == (rec.targets[a] > rec.targets[b]) {
			same++
		}
	}
	return same / max(all, 1)
}
