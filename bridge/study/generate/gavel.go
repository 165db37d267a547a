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
	g.GPUs = or(g.GPUs, 108)
	r := source(seed, ofJobs)
	jobs := make([]workload.Job, or(g.Jobs, 500))
	for i := range jobs {
		jobs[i] = training(r, g.size(r), gavelMinutes(r)*60/or(g.Shorter, 1), workload.Static)
		if g.Plain {
			jobs[i].Training = nil
		}
	}
	gap := span(jobs, g.GPUs, or(g.Load, .7)) / float64(len(jobs))
	switch {
	case g.Static:
		gap = 0
	case g.PerHour > 0:
		gap = 3600 / g.PerHour
	}
	return arrive(jobs, poisson(source(seed, ofArrivals), len(jobs), gap))
}

var gavelSizes = []float64{.70, .10, .15, .05}

func (g *Gavel) size(r *rand.Rand) int {
	if g.Single {
		return 1
	}
	return sized(r, gavelSizes, g.GPUs/len(types))
}

// sized draws a power of two, each with its weight, at most so many.
func sized(r *rand.Rand, weights []float64, most int) int {
	for {
		if n := 1 << pick(r, weights); n <= max(most, 1) {
			return n
		}
	}
}

func gavelMinutes(r *rand.Rand) float64 {
	if r.Float64() < .8 {
		return math.Pow(10, between(r, 1.5, 3))
	}
	return math.Pow(10, between(r, 3, 4))
}
