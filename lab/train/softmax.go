package train

import "math"

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
