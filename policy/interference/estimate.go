package interference

import (
	"math"

	"fairbridge/policy"
)

// Estimate is how fast a job is relative to its speed alone.
type Estimate struct {
	Speed float64 // what is expected, above 0 and at most 1
	Sigma float64 // standard error of -ln(speed) of a single pair
}

// newEstimate is what was published of pairs. No job is counted on to be faster beside another than alone.
func newEstimate(pair Spread) Estimate {
	return Estimate{Speed: min(pair.Mean, 1), Sigma: pair.Sigma() / pair.Mean}
}

// Low returns the speed that a pair is not below but for one in so many as the number of
// standard errors says: 1.2816 for one in ten, 0.6745 for one in four.
func (e Estimate) Low(sigmas float64) float64 { return e.Speed * math.Exp(-sigmas*e.Sigma) }

// JobBeside returns how fast a job is beside another, on the GPU they share: as published for the sum of
// their utilisations; that of their classes where the utilisation of one is not known.
func JobBeside(j, other *policy.Job) Estimate {
	a, b := Utilisation(j), Utilisation(other)
	if !a.Known || !b.Known {
		own, _ := ClassOf(j)
		beside, _ := ClassOf(other)
		return newEstimate(PairOf(own, beside))
	}
	return newEstimate(PairAt(a.Value + b.Value))
}

// Speeds returns how fast each of the jobs that share a GPU is.
func Speeds(jobs []*policy.Job) []float64 {
	out := make([]float64, len(jobs))
	for i, j := range jobs {
		out[i] = 1
		for k, other := range jobs {
			if k != i {
				out[i] *= JobBeside(j, other).Speed
			}
		}
	}
	return out
}
