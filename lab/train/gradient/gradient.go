// Package gradient teaches small networks (policy/solve/network) by the slopes of what is to become small, for every policy that learns
// so: a network is drawn, gradients are summed up over examples, and steps of Adam follow them.
package gradient

import (
	"math"
	"math/rand/v2"

	"fairbridge/policy/solve/network"
)

// DrawNetwork draws a network with layers of the widths, the first being its inputs, and one
// output that is small at first.
func DrawNetwork(r *rand.Rand, widths ...int) network.Network {
	var n network.Network
	for k := 1; k < len(widths); k++ {
		l := network.Layer{Bias: make([]float64, widths[k])}
		for range widths[k] {
			row := make([]float64, widths[k-1])
			for i := range row {
				row[i] = r.NormFloat64() / math.Sqrt(float64(widths[k-1]))
			}
			l.Weights = append(l.Weights, row)
		}
		n.Layers = append(n.Layers, l)
	}
	for i := range n.Layers[len(n.Layers)-1].Weights[0] {
		n.Layers[len(n.Layers)-1].Weights[0][i] *= .1
	}
	return n
}

// Adam changes a network (Kingma, Ba, "Adam", ICLR 2015). But for the network itself it is kept in checkpoints, see Resume.
type Adam struct {
	network  *network.Network
	Gradient network.Network `json:"gradient"` // of what is to become small, summed up
	First    network.Network `json:"first"`    // running mean of gradients
	Second   network.Network `json:"second"`   // and of their squares
	Steps    int             `json:"steps"`
}

// NewAdam returns one that has not moved the network yet.
func NewAdam(n *network.Network) *Adam {
	return &Adam{network: n, Gradient: zeros(n), First: zeros(n), Second: zeros(n)}
}

// Resume lets one that was read from a checkpoint change the network that was kept beside it.
func (a *Adam) Resume(n *network.Network) { a.network = n }

func zeros(n *network.Network) network.Network {
	var z network.Network
	for _, l := range n.Layers {
		o := network.Layer{Bias: make([]float64, len(l.Bias))}
		for _, row := range l.Weights {
			o.Weights = append(o.Weights, make([]float64, len(row)))
		}
		z.Layers = append(z.Layers, o)
	}
	return z
}

// Add adds to the gradient what an input adds whose output is to change by slope.
func (a *Adam) Add(x []float64, slope float64) {
	last := len(a.network.Layers) - 1
	inputs := [][]float64{x}
	for k := range a.network.Layers {
		inputs = append(inputs, a.network.Layers[k].Outputs(inputs[k], k < last))
	}
	slopes := []float64{slope}
	for k := last; k >= 0; k-- {
		layer, sum, in := &a.network.Layers[k], &a.Gradient.Layers[k], inputs[k]
		below := make([]float64, len(in))
		for o, s := range slopes {
			sum.Bias[o] += s
			for i, v := range in {
				sum.Weights[o][i] += s * v
				below[i] += s * layer.Weights[o][i]
			}
		}
		for i, v := range in {
			below[i] *= 1 - v*v // of tanh; what lies below the first layer is not used
		}
		slopes = below
	}
}

// Step moves the network against the gradient, which begins anew.
func (a *Adam) Step(rate float64) {
	a.Steps++
	for k := range a.network.Layers {
		n, g, f, s := &a.network.Layers[k], &a.Gradient.Layers[k], &a.First.Layers[k], &a.Second.Layers[k]
		a.move(n.Bias, g.Bias, f.Bias, s.Bias, rate)
		for o := range n.Weights {
			a.move(n.Weights[o], g.Weights[o], f.Weights[o], s.Weights[o], rate)
		}
	}
}

func (a *Adam) move(w, g, first, second []float64, rate float64) {
	const keepFirst, keepSecond = .9, .999
	for i := range w {
		first[i] = keepFirst*first[i] + (1-keepFirst)*g[i]
		second[i] = keepSecond*second[i] + (1-keepSecond)*g[i]*g[i]
		mean, square := first[i]/(1-math.Pow(keepFirst, float64(a.Steps))), second[i]/(1-math.Pow(keepSecond, float64(a.Steps)))
		w[i] -= rate * mean / (math.Sqrt(square) + 1e-8)
		g[i] = 0
	}
}
