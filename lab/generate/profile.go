package generate

import (
	"math"
)

// clusterProfile is how the jobs of a cluster are: sizes by powers of two, from 1 to
// 64 GPUs and more, and how long those run (Hu et al., Helios, SC 2021).
type clusterProfile struct {
	sizeShares      [8]float64 // share of jobs with 1, 2, 4, 8, 16, 32, 64, 128 GPUs
	meanHoursBySize [8]float64 // their mean run time
	activitySigma   float64    // how unequally active users are; their GPU time is more so, as large jobs are rare
}

var profilesByName = map[string]clusterProfile{
	"helios": {[8]float64{72.2, 2.6, 5.7, 14.2, 3.0, 1.7, .3, .3}, [8]float64{1.0, 4.6, 3.0, 3.5, 5.7, 6.5, 4.8, 2.6}, 1.55},
	"venus":  {[8]float64{51.8, 5.6, 7.4, 25.2, 4.1, 3.6, 1.0, 1.3}, [8]float64{2.4, 8.3, 4.4, 4.0, 6.8, 6.0, 3.2, 2.0}, 1.55},
	"earth":  {[8]float64{89.1, .9, 2.1, 5.4, 1.6, .6, .1, .2}, [8]float64{1.0, 4.6, 5.6, 4.8, 5.8, 6.6, 8.4, 3.5}, 1.4},
	"saturn": {[8]float64{68.2, 2.8, 8.3, 15.6, 2.5, 1.9, .4, .3}, [8]float64{.9, 3.3, 1.9, 2.4, 4.8, 4.8, 3.7, 2.7}, 1.55},
	"uranus": {[8]float64{66.3, 3.1, 4.3, 18.6, 5.5, 1.8, .3, .1}, [8]float64{1.1, 4.3, 5.1, 4.7, 6.3, 10.6, 8.3, 2.6}, 1.55},
}

// dayRunTimeDistribution is the distribution of run times of all jobs in seconds.
var dayRunTimeDistribution = distribution{
	{1, .04}, {4, .063}, {16, .107}, {32, .16}, {64, .25}, {128, .38}, {256, .57}, {512, .68}, {1024, .75}, {2048, .84}, {4096, .875},
	{8192, .908}, {16384, .944}, {32768, .963}, {65536, .978}, {131072, .989}, {262144, .996}, {1048576, 1},
}

// meanRunHours is the mean run time of all jobs.
const meanRunHours = 6652.0 / 3600

// runTime returns the run time that stands at quantile u for jobs of this
// mean. Jobs of all sizes have about the same short runs; what makes the means
// of large jobs higher are the long ones.
func (p *clusterProfile) runTime(u float64, size int) float64 {
	long := min(max((u-.5)/.4, 0), 1)
	return dayRunTimeDistribution.valueAt(u) * math.Pow(p.meanHoursBySize[size]/meanRunHours, long)
}
