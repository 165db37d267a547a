package generate

import (
	"fairbridge/bridge/study/workload"
)

// ShockwaveDrawer draws a workload like those of Shockwave's experiments (Zheng et
// al., NSDI 2023): 1, 2, 4 or 8 GPUs with probabilities .60, .30, .09 and .01,
// run times from 0.2 to 5 hours, half of the jobs adapting their batch size like
// Accordion and half like GNS. Its jobs train at the speeds of Tables; only type
// v100 is used.
type ShockwaveDrawer struct {
	GPUs           int     // of the cluster; 32
	Jobs           int     // 15 for every 4 GPUs, as in the experiments
	MeanArrivalGap float64 // mean seconds between arrivals; 1,280 / GPUs, as in the experiments
	// Static, Accordion and GNS weigh the modes; all zero: 0, .5 and .5.
	Static, Accordion, GNS float64
	// Sizes weigh jobs of 1, 2, 4 and 8 GPUs; nil: .60, .30, .09 and .01. The four
	// published traces were drawn with those and have .69, .23, .07 and .01.
	Sizes []float64
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

// Draw returns the jobs.
func (s ShockwaveDrawer) Draw(seed int64) []workload.Job {
	s.GPUs = orDefault(s.GPUs, 32)
	short := orDefault(s.RunTimeDivisor, 1)
	weights := []float64{s.Static, s.Accordion, s.GNS}
	if s.Static+s.Accordion+s.GNS == 0 {
		weights = []float64{0, .5, .5}
	}
	sizes := shockwaveSizeShares
	if s.Sizes != nil {
		sizes = s.Sizes
	}
	modes := []workload.BatchMode{workload.StaticMode, workload.AccordionMode, workload.GNSMode}
	r := randomSource(seed, ofJobs)
	jobs := make([]workload.Job, orDefault(s.Jobs, s.GPUs*15/4))
	for i := range jobs {
		gpus := drawSize(r, sizes, s.GPUs)
		long := drawLogNormal(r, shockwaveMedianSeconds, shockwaveSigma, shockwaveMinSeconds, shockwaveMaxSeconds)
		jobs[i] = newTraining(r, gpus, long/short, modes[pickIndex(r, weights)])
	}
	gap := orDefault(s.MeanArrivalGap, 1280/float64(s.GPUs)) / short
	return setArrivals(jobs, poissonArrivals(randomSource(seed, ofArrivals), len(jobs), gap))
}
