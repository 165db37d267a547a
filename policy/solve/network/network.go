// Package network computes what a small fully connected neural network says of an input.
package network

import (
	"fmt"
	"math"
)

// Network is layers one after the other, all but the last with tanh.
type Network struct {
	Layers []Layer `json:"layers"`
}

// Layer is a row of weights and a bias for each output.
type Layer struct {
	Weights [][]float64 `json:"weights"`
	Bias    []float64   `json:"bias"`
}

// Check says what is wrong with a network for so many inputs that is to have one output.
func (n *Network) Check(inputs int) error {
	if len(n.Layers) == 0 {
		return fmt.Errorf("the network has no layers")
	}
	width := inputs
	for i, l := range n.Layers {
		if len(l.Weights) == 0 || len(l.Bias) != len(l.Weights) {
			return fmt.Errorf("layer %d has %d rows of weights and %d biases", i+1, len(l.Weights), len(l.Bias))
		}
		for _, row := range l.Weights {
			if len(row) != width {
				return fmt.Errorf("layer %d has a row of %d weights for %d inputs", i+1, len(row), width)
			}
		}
		width = len(l.Weights)
	}
	if width != 1 {
		return fmt.Errorf("the network has %d outputs, want one", width)
	}
	return nil
}

// Forward returns the one output for an input of the right length.
func (n *Network) Forward(x []float64) float64 {
	for i := range n.Layers {
		x = n.Layers[i].Outputs(x, i+1 < len(n.Layers))
	}
	return x[0]
}

// Outputs are those of a layer, squashed by tanh or as they are.
func (l *Layer) Outputs(x []float64, squash bool) []float64 {
	out := make([]float64, len(l.Weights))
	for k, row := range l.Weights {
		sum := l.Bias[k]
		for i, w := range row {
			sum += float64(w * x[i])
		}
		if out[k] = sum; squash {
			out[k] = math.Tanh(sum)
		}
	}
	return out
}
