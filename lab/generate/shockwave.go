package generate

import (
	"fairbridge/replica/workload"
)

// ShockwaveDrawer draws a workload like those of Shockwave's experiments (Zheng et
// al., NSDI 2023): 1, 2, 4 or 8 GPUs with probabilities .60, .30, .09 and .01,
// run times from 0.2 to 5 hours, half of the jobs adapting their batch size like
// Accordion and half like GNS. Its jobs train at the speeds of NewSpeedTables; only type
// v100 is used.
type ShockwaveDrawer struct {
	ClusterGPUs int // of the cluster; 32
	JobCount    int // 15 for every 4 GPUs, as in the experiments
	// SizeWeights weigh jobs of 1, 2, 4 and 8 GPUs; nil: .60, .30, .09 and .01. The four
	// published traces were drawn with those and have .69, .23, .07 and .01.
	SizeWeights []float64
}

// Run times of the published traces have this median and spread within their
// bounds, all in seconds.
const (
	shockwaveMedianSeconds, shockwaveSigma   = 3_250, .72
	shockwaveMinSeconds, shockwaveMaxSeconds = 720, 18_000
)

// shockwaveGap is how many GPU-seconds there are on average between two arrivals.
const shockwaveGap = 1280

var shockwaveSizeShares = []float64{.60, .30, .09, .01}

// DrawJobs returns the jobs.
func (s ShockwaveDrawer) DrawJobs(seed int64) []workload.Job {
	s.ClusterGPUs = orDefault(s.ClusterGPUs, 32)
	sizes := shockwaveSizeShares
	if s.SizeWeights != nil {
		sizes = s.SizeWeights
	}
	modes, weights := []workload.BatchMode{workload.AccordionMode, workload.GNSMode}, []float64{.5, .5}
	r := newRandom(seed, jobRandomStream)
	jobs := make([]workload.Job, orDefault(s.JobCount, s.ClusterGPUs*15/4))
	for i := range jobs {
		gpus := drawPowerOfTwo(r, sizes, s.ClusterGPUs)
		long := drawLogNormal(r, shockwaveMedianSeconds, shockwaveSigma, shockwaveMinSeconds, shockwaveMaxSeconds)
		jobs[i] = newTrainingJob(r, gpus, long, modes[pickIndex(r, weights)])
	}
	gap := shockwaveGap / float64(s.ClusterGPUs)
	return setArrivals(jobs, poissonArrivals(newRandom(seed, arrivalRandomStream), len(jobs), gap))
}
