package train

import (
	"math"
	"math/rand/v2"

	"fairbridge/policy/solve/network"
)

// newNetwork draws a network with layers of the widths, the first being its inputs, and one
// output that is small at first.
func newNetwork(r *rand.Rand, widths ...int) network.Network {
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

// adam changes a network (Kingma, Ba, "Adam", ICLR 2015). But for the network itself it is kept in checkpoints.
type adam struct {
	network  *network.Network
	Gradient network.Network `json:"gradient"` // of what is to become small, summed up
	First    network.Network `json:"first"`    // running mean of gradients
	Second   network.Network `json:"second"`   // and of their squares
	Steps    int             `json:"steps"`
}

func newAdam(n *network.Network) *adam {
	return &adam{network: n, Gradient: zeros(n), First: zeros(n), Second: zeros(n)}
}

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

// add adds to the gradient what an input adds whose output is to change by slope.
func (a *adam) add(x []float64, slope float64) {
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

// step moves the network against the gradient, which begins anew.
func (a *adam) step(rate float64) {
	a.Steps++
	for k := range a.network.Layers {
		n, g, f, s := &a.network.Layers[k], &a.Gradient.Layers[k], &a.First.Layers[k], &a.Second.Layers[k]
		a.move(n.Bias, g.Bias, f.Bias, s.Bias, rate)
		for o := range n.Weights {
			a.move(n.Weights[o], g.Weights[o], f.Weights[o], s.Weights[o], rate)
		}
	}
}

func (a *adam) move(w, g, first, second []float64, rate float64) {
	const keepFirst, keepSecond = .9, .999
	for i := range w {
		first[i] = keepFirst*first[i] + (1-keepFirst)*g[i]
		second[i] = keepSecond*second[i] + (1-keepSecond)*g[i]*g[i]
		mean, square := first[i]/(1-math.Pow(keepFirst, float64(a.Steps))), second[i]/(1-math.Pow(keepSecond, float64(a.Steps)))
		w[i] -= rate * mean / (math.Sqrt(square) + 1e-8)
		g[i] = 0
	}
}

// softmax returns the chances of open candidates by their scores.
func softmax(scores []float64, open []bool) []float64 {
	most, sum := math.Inf(-1), 0.0
	for i, s := range scores {
		if open[i] {
			most = max(most, s)
		}
	}
	p := make([]float64, len(scores))
	for i, s := range scores {
		if open[i] {
			p[i] = math.Exp(s - most)
			sum += p[i]
		}
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
