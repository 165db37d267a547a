package generate

import (
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// PhillyDrawer draws jobs as Microsoft's Philly cluster saw them in 2017 (Jeon et al.,
// ATC 2019): nine of ten want one GPU, run times spread over six orders of
// magnitude and grow with size, people work by day, virtual clusters are
// accounts. Jobs are not training jobs: they only run.
type PhillyDrawer struct {
	JobCount         int     // 1,000
	ClusterGPUs      int     // of the cluster; 64. Larger jobs are drawn again.
	OfferedLoad      float64 // GPU time asked for, as a part of what the GPUs have; .85
	MaxRunSeconds    float64 // seconds; longer run times are drawn again; 30 days
	AccountCount     int     // virtual clusters; 14
	HasNoDayAndNight bool    // no day and night
}

// phillySizeShares are the shares of jobs by GPUs: 1, 2, 4, 8, 16, 32.
var phillySizeShares = []float64{.915, .007, .038, .029, .0034, .0004}

const (
	minuteSeconds, daySeconds = 60.0, 86_400.0
	phillyUsers               = 300
)

// phillyRunTimeDistributions are distributions of run times in seconds for 1, 2 to 4, 5 to 8
// and more GPUs.
var phillyRunTimeDistributions = [4]distribution{
	{{4, 0}, {16, .017}, {32, .047}, {64, .133}, {128, .23}, {256, .28}, {512, .34}, {1024, .44}, {2048, .58}, {4096, .72},
		{8192, .80}, {16384, .87}, {32768, .904}, {65536, .93}, {131072, .955}, {262144, .975}, {524288, .988}, {1048576, .996}, {50 * daySeconds, 1}},
	{{2, 0}, {.3 * minuteSeconds, .1}, {1.5 * minuteSeconds, .25}, {24 * minuteSeconds, .5}, {1000 * minuteSeconds, .75}, {4000 * minuteSeconds, .9}, {7500 * minuteSeconds, .95}, {50 * daySeconds, 1}},
	{{8, 0}, {1.6 * minuteSeconds, .1}, {14 * minuteSeconds, .25}, {200 * minuteSeconds, .5}, {1600 * minuteSeconds, .75}, {5500 * minuteSeconds, .9}, {10000 * minuteSeconds, .95}, {50 * daySeconds, 1}},
	{{4, 0}, {.8 * minuteSeconds, .1}, {9 * minuteSeconds, .25}, {150 * minuteSeconds, .5}, {900 * minuteSeconds, .75}, {3500 * minuteSeconds, .9}, {6500 * minuteSeconds, .95}, {50 * daySeconds, 1}},
}

func phillyRunTimesForSize(gpus int) distribution {
	switch {
	case gpus == 1:
		return phillyRunTimeDistributions[0]
	case gpus <= 4:
		return phillyRunTimeDistributions[1]
	case gpus <= 8:
		return phillyRunTimeDistributions[2]
	}
	return phillyRunTimeDistributions[3]
}

// DrawJobs returns the jobs.
func (p PhillyDrawer) DrawJobs(seed int64) []workload.Job {
	p.ClusterGPUs = orDefault(p.ClusterGPUs, 64)
	longest := orDefault(p.MaxRunSeconds, 30*daySeconds)
	r, who := newRandom(seed, jobRandomStream), p.drawPopulation(seed)
	jobs := make([]workload.Job, orDefault(p.JobCount, 1000))
	for i := range jobs {
		u := who.pickUser(r)
		gpus := drawPowerOfTwo(r, phillySizeShares, p.ClusterGPUs)
		c := phillyRunTimesForSize(gpus)
		long := c.valueAt(r.Float64() * c.shareBelow(longest))
		jobs[i] = workload.Job{Name: "train", User: u.name, Account: u.account, GPUs: gpus, Duration: roundUpSeconds(long), End: drawJobEndForSize(r, gpus)}
	}
	busy := hourlyRate
	if p.HasNoDayAndNight {
		busy = constantRate
	}
	return setArrivals(jobs, arrivalTimes(newRandom(seed, arrivalRandomStream), len(jobs), spanForLoad(jobs, p.ClusterGPUs, orDefault(p.OfferedLoad, .85)), busy))
}

// DrawAccounts returns the virtual clusters of the workload of that seed and their
// shares.
func (p PhillyDrawer) DrawAccounts(seed int64) []policy.Account {
	return p.drawPopulation(seed).accounts
}

func (p *PhillyDrawer) drawPopulation(seed int64) *population {
	return newPopulation(seed, phillyUsers, orDefault(p.AccountCount, 14), 1.7)
}
