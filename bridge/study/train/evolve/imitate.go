package evolve

import (
	"fmt"
	"slices"

	"fairbridge/policy/solve/network"
	"fairbridge/policy/solve/ridge"
)

// imitate teaches the network to score as the teacher does: its hidden layer is drawn and stays, and the weights above it
// are those of least squares.
func (t *Trainer) imitate() (said string, err error) {
	seeds := make([]int64, t.ImitationRuns)
	for i := range seeds {
		seeds[i] = t.nextSeed()
	}
	inputs, targets, err := t.Imitate(seeds)
	if err != nil {
		return "", err
	}
	if len(inputs) == 0 {
		return "", fmt.Errorf("imitating %s: it had nothing to choose in %d simulations; give it more jobs", t.Teacher, len(seeds))
	}
	t.Net = t.newNetwork()
	var sums ridge.Sums
	for i, x := range inputs {
		sums = sums.Add(append(t.Net.Layers[0].Outputs(x, true), 1), targets[i], 1)
	}
	w := sums.Solve(make([]float64, hiddenWidth+1), 1e-3)
	top := &t.Net.Layers[1]
	top.Weights[0], top.Bias[0] = slices.Clone(w[:hiddenWidth]), w[hiddenWidth]
	return fmt.Sprintf("imitation: of %d scores, %.1f %% of pairs are in their order", len(targets), 100*t.agreement(inputs, targets)), nil
}

// newNetwork draws the hidden layer; the output is 0.
func (t *Trainer) newNetwork() network.Network {
	hidden := network.Layer{Bias: make([]float64, hiddenWidth)}
	for k := range hiddenWidth {
		row := make([]float64, len(t.Features))
		for i := range row {
			row[i] = t.random.NormFloat64()
		}
		hidden.Weights, hidden.Bias[k] = append(hidden.Weights, row), .5*t.random.NormFloat64()
	}
	return network.Network{Layers: []network.Layer{hidden, {Weights: [][]float64{make([]float64, hiddenWidth)}, Bias: []float64{0}}}}
}

// agreement is which part of drawn pairs the network scores in the teacher's order.
func (t *Trainer) agreement(inputs [][]float64, targets []float64) float64 {
	same, all := 0.0, 0.0
	for range 20_000 {
		a, b := t.random.IntN(len(inputs)), t.random.IntN(len(inputs))
		if targets[a] == targets[b] {
			continue
		}
		if all++; (t.Net.Forward(inputs[a]) > t.Net.Forward(inputs[b])) == (targets[a] > targets[b]) {
			same++
		}
	}
	return same / max(all, 1)
}
