package generate

import (
	"math"
	"math/rand/v2"

	"fairbridge/bridge/study/workload"
)

// Gavel draws the workload of Gavel's experiments (Narayanan et al., OSDI 2020):
// 1, 2, 4 or 8 GPUs with probabilities .70, .10, .15 and .05; run times on the
// fastest GPUs of 10^u minutes, u evenly from 1.5 to 3 (80 %) or from 3 to 4
// (20 %); Poisson arrivals. Its jobs train at the speeds of Tables.
type Gavel struct {
	Jobs int // 500
	// GPUs of the cluster, of three types together; 108. Jobs want at most a third
	// of them.
	GPUs int
	// Load is the GPU time asked for, in time on the fastest type, as a part of
	// what all GPUs have; .7.
	Load    float64
	PerHour float64 // jobs an hour; 0: what Load makes of it
	Static  bool    // all arrive at the start
	Single  bool    // one GPU each
	Plain   bool    // without Training: Speeds alone says how fast they are where
	// Shorter divides all run times, so that tests are quick; 1.
	Shorter float64
}

// Draw returns the jobs.
func (g Gavel) Draw(seed int64) []workload.Job {
	g.GPUs = orDefault(g.GPUs, 108)
	r := randomSource(seed, ofJobs)
	jobs := make([]workload.Job, orDefault(g.Jobs, 500))
	for i := range jobs {
		jobs[i] = newTraining(r, g.size(r), gavelMinutes(r)*60/orDefault(g.Shorter, 1), workload.Static)
		if g.Plain {
			jobs[i].Training = nil
		}
	}
	gap := spanForLoad(jobs, g.GPUs, orDefault(g.Load, .7)) / float64(len(jobs))
	switch {
	case g.Static:
		gap = 0
	case g.PerHour > 0:
		gap = 3600 / g.PerHour
	}
	return setArrivals(jobs, poisson(randomSource(seed, ofArrivals), len(jobs), gap))
}

var gavelSizes = []float64{.70, .10, .15, .05}

func (g *Gavel) size(r *rand.Rand) int {
	if g.Single {
		return 1
	}
	return drawSize(r, gavelSizes, g.GPUs/len(types))
}

// drawSize draws a power of two, each with its weight, at most so many.
func drawSize(r *rand.Rand, weights []float64, most int) int {
	for {
		if n := 1 << pickIndex(r, weights); n <= max(most, 1) {
			return n
		}
	}
}

func gavelMinutes(r *rand.Rand) float64 {
	if r.Float64() < .8 {
		return math.Pow(10, uniform(r, 1.5, 3))
	}
	return math.Pow(10, uniform(r, 3, 4))
}
