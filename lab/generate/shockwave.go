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
	ClusterGPUs    int     // of the cluster; 32
	JobCount       int     // 15 for every 4 GPUs, as in the experiments
	MeanGapSeconds float64 // mean seconds between arrivals; 1,280 / GPUs, as in the experiments
	// StaticWeight, Accordion and GNS weigh the modes; all zero: 0, .5 and .5.
	StaticWeight, AccordionWeight, GNSWeight float64
	// SizeWeights weigh jobs of 1, 2, 4 and 8 GPUs; nil: .60, .30, .09 and .01. The four
	// published traces were drawn with those and have .69, .23, .07 and .01.
	SizeWeights []float64
	// RunTimeDivisor divides all times, so that tests are quick; 1.
	RunTimeDivisor float64
}

// Run times of the published traces have this median and spread within their
// bounds, all in seconds.
const (
	shockwaveMedianSeconds, shockwaveSigma   = 3_250, .72
	shockwaveMinSeconds, shockwaveMaxSeconds = 720, 18_000
)

var shockwaveSizeShares = []float64{.60, .30, .09, .01}

// DrawJobs returns the jobs.
func (s ShockwaveDrawer) DrawJobs(seed int64) []workload.Job {
	s.ClusterGPUs = orDefault(s.ClusterGPUs, 32)
	short := orDefault(s.RunTimeDivisor, 1)
	weights := []float64{s.StaticWeight, s.AccordionWeight, s.GNSWeight}
	if s.StaticWeight+s.AccordionWeight+s.GNSWeight == 0 {
		weights = []float64{0, .5, .5}
	}
	sizes := shockwaveSizeShares
	if s.SizeWeights != nil {
		sizes = s.SizeWeights
	}
	modes := []workload.BatchMode{workload.StaticMode, workload.AccordionMode, workload.GNSMode}
	r := newRandom(seed, jobRandomStream)
	jobs := make([]workload.Job, orDefault(s.JobCount, s.ClusterGPUs*15/4))
	for i := range jobs {
		gpus := drawPowerOfTwo(r, sizes, s.ClusterGPUs)
		long := drawLogNormal(r, shockwaveMedianSeconds, shockwaveSigma, shockwaveMinSeconds, shockwaveMaxSeconds)
		jobs[i] = newTrainingJob(r, gpus, long/short, modes[pickIndex(r, weights)])
	}
	gap := orDefault(s.MeanGapSeconds, 1280/float64(s.ClusterGPUs)) / short
	return setArrivals(jobs, poissonArrivals(newRandom(seed, arrivalRandomStream), len(jobs), gap))
}
