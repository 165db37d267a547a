package generate

import (
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Philly draws jobs as Microsoft's Philly cluster saw them in 2017 (Jeon et al.,
// ATC 2019): nine of ten want one GPU, run times spread over six orders of
// magnitude and grow with size, people work by day, virtual clusters are
// accounts. Jobs are not training jobs: they only run.
type Philly struct {
	Jobs     int     // 1,000
	GPUs     int     // of the cluster; 64. Larger jobs are drawn again.
	Load     float64 // GPU time asked for, as a part of what the GPUs have; .85
	Longest  float64 // seconds; longer run times are drawn again; 30 days
	Accounts int     // virtual clusters; 14
	Users    int     // 300
	Steady   bool    // no day and night
}

// phillySizes are the shares of jobs by GPUs: 1, 2, 4, 8, 16, 32.
var phillySizes = []float64{.915, .007, .038, .029, .0034, .0004}

const minute, day = 60.0, 86_400.0

// phillyTimes are distributions of run times in seconds for 1, 2 to 4, 5 to 8
// and more GPUs.
var phillyTimes = [4]distribution{
	{{4, 0}, {16, .017}, {32, .047}, {64, .133}, {128, .23}, {256, .28}, {512, .34}, {1024, .44}, {2048, .58}, {4096, .72},
		{8192, .80}, {16384, .87}, {32768, .904}, {65536, .93}, {131072, .955}, {262144, .975}, {524288, .988}, {1048576, .996}, {50 * day, 1}},
	{{2, 0}, {.3 * minute, .1}, {1.5 * minute, .25}, {24 * minute, .5}, {1000 * minute, .75}, {4000 * minute, .9}, {7500 * minute, .95}, {50 * day, 1}},
	{{8, 0}, {1.6 * minute, .1}, {14 * minute, .25}, {200 * minute, .5}, {1600 * minute, .75}, {5500 * minute, .9}, {10000 * minute, .95}, {50 * day, 1}},
	{{4, 0}, {.8 * minute, .1}, {9 * minute, .25}, {150 * minute, .5}, {900 * minute, .75}, {3500 * minute, .9}, {6500 * minute, .95}, {50 * day, 1}},
}

func phillyTime(gpus int) distribution {
	switch {
	case gpus == 1:
		return phillyTimes[0]
	case gpus <= 4:
		return phillyTimes[1]
	case gpus <= 8:
		return phillyTimes[2]
	}
	return phillyTimes[3]
}

// Draw returns the jobs.
func (p Philly) Draw(seed int64) []workload.Job {
	p.GPUs = orDefault(p.GPUs, 64)
	longest := orDefault(p.Longest, 30*day)
	r, who := randomSource(seed, ofJobs), p.population(seed)
	jobs := make([]workload.Job, orDefault(p.Jobs, 1000))
	for i := range jobs {
		u := who.pickUser(r)
		gpus := drawSize(r, phillySizes, p.GPUs)
		c := phillyTime(gpus)
		long := c.value(r.Float64() * c.shareBelow(longest))
		jobs[i] = workload.Job{Name: "train", User: u.name, Account: u.account, GPUs: gpus, Duration: seconds(long), End: drawEnd(r, gpus)}
	}
	busy := hourlyRate
	if p.Steady {
		busy = constantRate
	}
	return setArrivals(jobs, arrivalTimes(randomSource(seed, ofArrivals), len(jobs), spanForLoad(jobs, p.GPUs, orDefault(p.Load, .85)), busy))
}

// AccountsOf returns the virtual clusters of the workload of that seed and their
// shares.
func (p Philly) AccountsOf(seed int64) []policy.Account { return p.population(seed).accounts }

func (p *Philly) population(seed int64) *population {
	return newPopulation(seed, orDefault(p.Users, 300), orDefault(p.Accounts, 14), 1.7)
}
