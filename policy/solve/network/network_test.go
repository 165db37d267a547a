package network_test

import (
	"math"
	"testing"

	"fairbridge/policy/solve/network"
)

func TestForward(t *testing.T) {
	n := network.Network{Layers: []network.Layer{{Weights: [][]float64{{1, 2}, {0, -1}}, Bias: []float64{.5, 0}}, {Weights: [][]float64{{3, -2}}, Bias: []float64{1}}}}
	if err := n.Check(2); err != nil {
		t.Fatal(err)
	}
	if got, want := n.Forward([]float64{.25, .5}), 3*math.Tanh(1.75)-2*math.Tanh(-.5)+1; math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	if err := n.Check(3); err == nil {
		t.Error("takes three inputs")
	}
}
