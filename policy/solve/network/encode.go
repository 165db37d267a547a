package network

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

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
