package gradient

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestGradient compares slopes with differences.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	n := DrawNetwork(r, 4, 5, 3, 1)
	a, x := NewAdam(&n), []float64{.3, -1, 2, .1}
	a.Add(x, 2)
	for k := range n.Layers {
		for o := range n.Layers[k].Weights {
			for i := range n.Layers[k].Weights[o] {
				const d = 1e-6
				w := &n.Layers[k].Weights[o][i]
				*w += d
				up := n.Forward(x)
				*w -= 2 * d
				down := n.Forward(x)
				*w += d
				if got, want := a.Gradient.Layers[k].Weights[o][i], 2*(up-down)/(2*d); math.Abs(got-want) > 1e-6 {
					t.Fatalf("layer %d, %d from %d: %g, want %g", k, o, i, got, want)
				}
			}
		}
	}
}
