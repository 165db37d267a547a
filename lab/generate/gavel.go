package generate

import (
	"math"
	"math/rand/v2"

	"fairbridge/replica/workload"
)

// GavelDrawer draws the workload of Gavel's experiments (Narayanan et al., OSDI 2020):
// 1, 2, 4 or 8 GPUs with probabilities .70, .10, .15 and .05; run times on the
// fastest GPUs of 10^u minutes, u evenly from 1.5 to 3 (80 %) or from 3 to 4
// (20 %); Poisson arrivals. Its jobs train at the speeds of NewSpeedTables.
type GavelDrawer struct {
	JobCount int // 500
	// ClusterGPUs of the cluster, of three types together; 108. Jobs want at most a third
	// of them.
	ClusterGPUs int
	// OfferedLoad is the GPU time asked for, in time on the fastest type, as a part of
	// what all GPUs have; .7.
	OfferedLoad     float64
	JobsPerHour     float64 // jobs an hour; 0: what OfferedLoad makes of it
	AllAtStart      bool    // all arrive at the start
	OneGPUEach      bool    // one GPU each
	WithoutTraining bool    // without Training: Speeds alone says how fast they are where
	// RunTimeDivisor divides all run times, so that tests are quick; 1.
	RunTimeDivisor float64
}

// DrawJobs returns the jobs.
func (g GavelDrawer) DrawJobs(seed int64) []workload.Job {
	g.ClusterGPUs = orDefault(g.ClusterGPUs, 108)
	r := newRandom(seed, jobRandomStream)
	jobs := make([]workload.Job, orDefault(g.JobCount, 500))
	for i := range jobs {
		jobs[i] = newTrainingJob(r, g.drawGPUCount(r), drawGavelMinutes(r)*60/orDefault(g.RunTimeDivisor, 1), workload.StaticMode)
		if g.WithoutTraining {
			jobs[i].Training = nil
		}
	}
	gap := spanForLoad(jobs, g.ClusterGPUs, orDefault(g.OfferedLoad, .7)) / float64(len(jobs))
	switch {
	case g.AllAtStart:
		gap = 0
	case g.JobsPerHour > 0:
		gap = 3600 / g.JobsPerHour
	}
	return setArrivals(jobs, poissonArrivals(newRandom(seed, arrivalRandomStream), len(jobs), gap))
}

var gavelSizeShares = []float64{.70, .10, .15, .05}

func (g *GavelDrawer) drawGPUCount(r *rand.Rand) int {
	if g.OneGPUEach {
		return 1
	}
	return drawPowerOfTwo(r, gavelSizeShares, g.ClusterGPUs/len(gpuTypes))
}

// drawPowerOfTwo draws a power of two, each with its weight, at most so many.
func drawPowerOfTwo(r *rand.Rand, weights []float64, most int) int {
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
