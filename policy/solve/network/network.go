// Package network computes what a small fully connected neural network says of an input.
package network

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
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

// Parameters are all weights and biases of a network, in order, to be changed in place.
func (n *Network) Parameters() (all []*float64) {
	for k := range n.Layers {
		l := &n.Layers[k]
		for o := range l.Weights {
			for i := range l.Weights[o] {
				all = append(all, &l.Weights[o][i])
			}
			all = append(all, &l.Bias[o])
		}
	}
	return all
}

// Clone returns a network of its own with the same weights.
func (n *Network) Clone() Network {
	var c Network
	for _, l := range n.Layers {
		copied := Layer{Bias: slices.Clone(l.Bias)}
		for _, row := range l.Weights {
			copied.Weights = append(copied.Weights, slices.Clone(row))
		}
		c.Layers = append(c.Layers, copied)
	}
	return c
}

// Encode returns weights as ReadWeights reads them. Six digits are kept, so that files are short.
func (w *Weights) Encode() ([]byte, error) {
	short := *w
	short.Network = w.Network.Clone()
	for _, v := range short.Network.Parameters() {
		*v, _ = strconv.ParseFloat(strconv.FormatFloat(*v, 'g', 6, 64), 64)
	}
	raw, err := json.MarshalIndent(short, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encoding weights: %w", err)
	}
	return append(raw, '\n'), nil
}

// Weights is a trained network of one output and how it was trained.
type Weights struct {
	Version  int               `json:"version"` // of what inputs mean
	Features []string          `json:"features"`
	Training map[string]string `json:"training,omitempty"` // the settings it was trained with
	Network  Network           `json:"network"`
}

// ReadWeights reads weights of a version for features, and says why they cannot be used.
func ReadWeights(raw []byte, version int, features []string) (*Weights, error) {
	var w Weights
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, fmt.Errorf("reading weights: %w", err)
	}
	switch {
	case w.Version != version:
		return nil, fmt.Errorf("reading weights: they are of version %d, want %d", w.Version, version)
	case !slices.Equal(w.Features, features):
		return nil, fmt.Errorf("reading weights: they are for the features %v, want %v", w.Features, features)
	}
	if err := w.Network.Check(len(features)); err != nil {
		return nil, fmt.Errorf("reading weights: %w", err)
	}
	return &w, nil
}

// ShortHash tells weights apart in eight digits: those of their text by FNV-1a.
func ShortHash(raw []byte) string {
	h := fnv.New32a()
	_, _ = h.Write(raw) // never fails
	return fmt.Sprintf("%08x", h.Sum32())
}
