package generate

import (
	"math"
	"math/rand/v2"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// Streams of chance: what one decides leaves the others alone.
const (
	jobRandomStream uint64 = iota + 1
	arrivalRandomStream
	peopleRandomStream
	deadlineRandomStream
)

func newRandom(seed int64, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(seed), stream))
}

// pickIndex draws an index with the given weights.
func pickIndex(r *rand.Rand, weights []float64) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	at := r.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// drawUniform draws evenly.
func drawUniform(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

// drawLogNormal draws with a median and a spread in natural logarithms, within
// bounds: what lies outside is drawn again.
func drawLogNormal(r *rand.Rand, median, sigma, low, high float64) float64 {
	for {
		if v := median * math.Exp(sigma*r.NormFloat64()); v >= low && v <= high {
			return v
		}
	}
}

// distribution is a distribution function, ascending: the share of values up to At.
type distribution []struct{ at, share float64 }

// valueAt returns the quantile u, interpolated on a logarithmic scale.
func (c distribution) valueAt(u float64) float64 {
	for i := 1; i < len(c); i++ {
		if a, b := c[i-1], c[i]; u <= b.share {
			part := max(u-a.share, 0) / (b.share - a.share)
			return a.at * math.Pow(b.at/a.at, part)
		}
	}
	return c[len(c)-1].at
}

// shareBelow is the opposite of valueAt: the share of values up to x.
func (c distribution) shareBelow(x float64) float64 {
	for i := 1; i < len(c); i++ {
		if a, b := c[i-1], c[i]; x <= b.at {
			return a.share + (b.share-a.share)*max(math.Log(x/a.at)/math.Log(b.at/a.at), 0)
		}
	}
	return 1
}

// orDefault returns v, or the default where v is zero.
func orDefault[T int | float64](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// roundUpSeconds rounds a time up to whole seconds, at least one.
func roundUpSeconds(v float64) float64 { return max(math.Ceil(v), 1) }

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

// DeadlineDrawer draws Gavel's workload with deadlines: a job wants to be done after
// 0.5 to 1.5 of its run time alone from its arrival on (as ElasticFlow's
// experiments do, Gu et al., ASPLOS 2023), so that a policy must refuse some.
type DeadlineDrawer struct {
	GavelDrawer
	BestEffortShare float64 // share of jobs without a deadline; 0
}

// DrawJobs returns the jobs.
func (d DeadlineDrawer) DrawJobs(seed int64) []workload.Job {
	jobs := d.GavelDrawer.DrawJobs(seed)
	r := newRandom(seed, deadlineRandomStream)
	for i := range jobs {
		slack := drawUniform(r, .5, 1.5)
		if r.Float64() >= d.BestEffortShare {
			jobs[i].Deadline = jobs[i].Arrive + roundUpSeconds(slack*jobs[i].Duration)
		}
	}
	return jobs
}
