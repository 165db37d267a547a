package generate

import (
	"math"
	"math/rand/v2"

	"fairbridge/bridge/study/workload"
)

// GavelDrawer draws the workload of Gavel's experiments (Narayanan et al., OSDI 2020):
// 1, 2, 4 or 8 GPUs with probabilities .70, .10, .15 and .05; run times on the
// fastest GPUs of 10^u minutes, u evenly from 1.5 to 3 (80 %) or from 3 to 4
// (20 %); Poisson arrivals. Its jobs train at the speeds of Tables.
type GavelDrawer struct {
	Jobs int // 500
	// GPUs of the cluster, of three types together; 108. Jobs want at most a third
	// of them.
	GPUs int
	// Load is the GPU time asked for, in time on the fastest type, as a part of
	// what all GPUs have; .7.
	Load            float64
	JobsPerHour     float64 // jobs an hour; 0: what Load makes of it
	AllAtStart      bool    // all arrive at the start
	OneGPUEach      bool    // one GPU each
	WithoutTraining bool    // without Training: Speeds alone says how fast they are where
	// RunTimeDivisor divides all run times, so that tests are quick; 1.
	RunTimeDivisor float64
}

// Draw returns the jobs.
func (g GavelDrawer) Draw(seed int64) []workload.Job {
	g.GPUs = orDefault(g.GPUs, 108)
	r := randomSource(seed, ofJobs)
	jobs := make([]workload.Job, orDefault(g.Jobs, 500))
	for i := range jobs {
		jobs[i] = newTraining(r, g.drawGPUCount(r), drawGavelMinutes(r)*60/orDefault(g.RunTimeDivisor, 1), workload.StaticMode)
		if g.WithoutTraining {
			jobs[i].Training = nil
		}
	}
	gap := spanForLoad(jobs, g.GPUs, orDefault(g.Load, .7)) / float64(len(jobs))
	switch {
	case g.AllAtStart:
		gap = 0
	case g.JobsPerHour > 0:
		gap = 3600 / g.JobsPerHour
	}
	return setArrivals(jobs, poissonArrivals(randomSource(seed, ofArrivals), len(jobs), gap))
}

var gavelSizeShares = []float64{.70, .10, .15, .05}

func (g *GavelDrawer) drawGPUCount(r *rand.Rand) int {
	if g.OneGPUEach {
		return 1
	}
	return drawSize(r, gavelSizeShares, g.GPUs/len(gpuTypes))
}

// drawSize draws a power of two, each with its weight, at most so many.
func drawSize(r *rand.Rand, weights []float64, most int) int {
	for {
		if n := 1 << pickIndex(r, weights); n <= max(most, 1) {
			return n
		}
	}
}

func drawGavelMinutes(r *rand.Rand) float64 {
	if r.Float64() < .8 {
		return math.Pow(10, drawUniform(r, 1.5, 3))
	}
	return math.Pow(10, drawUniform(r, 3, 4))
}
