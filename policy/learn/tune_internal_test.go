package learn

import (
	"math/rand/v2"
	"testing"
)

// TestConcaveBounds: between the points that are known a likelihood is never above what they say, so that no candidate
// is left out that is the best.
func TestConcaveBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for range 100 {
		x, shares := &levelTrials{}, []float64{}
		for range 1 + r.IntN(300) {
			p := linearProbability{r.Float64() * r.Float64(), r.Float64(), .3 * r.Float64()}
			start, slope := p.asLine(r.Float64()*r.Float64(), 1e-12)
			x.binStarts, x.binSlopes[0] = append(x.binStarts, start), append(x.binSlopes[0], slope)
			shares = append(shares, r.Float64())
		}
		at := func(part float64) float64 { return x.binLikelihood(0, shares, part) }
		c := concave{at(0), at(middleShare), at(1)}
		for _, part := range candidateMaxShares {
			if most, isExact := c.atMost(part); at(part) > most+1e-6 || isExact && at(part) != most {
				t.Fatalf("at %v it is %v, at most %v", part, at(part), most)
			}
		}
	}
}
