package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// DayDrawer draws days of a GPU cluster as the Helios study measured four of them (Hu
// et al., SC 2021): most jobs are small and short but the large and long ones
// take the GPU time, few users do most of it, people work by day and less on
// weekends, send the same job again and again and in sweeps, ask for far more
// time than they need, and cancel or break a good part. The first day is a
// Monday.
type DayDrawer struct {
	ProfileName  string  // helios (all four), venus, earth, saturn or uranus; helios
	DayCount     float64 // 1
	ClusterGPUs  int     // of the cluster; 64. No job wants more than half of them.
	OfferedLoad  float64 // GPU time asked for, as a part of what the GPUs have; .85
	UserCount    int     // 200
	AccountCount int     // 12
	// MaxRunTime is what the partition allows; jobs run no longer, and four of ten
	// ask for all of it; 2 days.
	MaxRunTime time.Duration
	// CheckpointShare is the share of jobs that may be stopped; .5. Negative: none.
	CheckpointShare float64
}

func (d DayDrawer) withDefaults() (DayDrawer, error) {
	if d.ProfileName == "" {
		d.ProfileName = "helios"
	}
	if _, known := profilesByName[d.ProfileName]; !known {
		return d, fmt.Errorf("no profile %q; there are helios, venus, earth, saturn and uranus", d.ProfileName)
	}
	d.DayCount, d.ClusterGPUs, d.OfferedLoad, d.UserCount, d.AccountCount = orDefault(d.DayCount, 1), orDefault(d.ClusterGPUs, 64), orDefault(d.OfferedLoad, .85), orDefault(d.UserCount, 200), orDefault(d.AccountCount, 12)
	d.CheckpointShare = orDefault(d.CheckpointShare, .5)
	if d.MaxRunTime == 0 {
		d.MaxRunTime = 48 * time.Hour
	}
	return d, nil
}

// DrawAccounts returns the accounts of the workload of that seed. Their shares
// are what their users ask for, 30 % more or less.
func (d DayDrawer) DrawAccounts(seed int64) []policy.Account {
	d, err := d.withDefaults()
	if err != nil {
		return nil
	}
	p := profilesByName[d.ProfileName]
	return newPopulation(seed, d.UserCount, d.AccountCount, p.activitySigma).accounts
}

// DrawJobs returns the jobs; none for a profile that does not exist.
func (d DayDrawer) DrawJobs(seed int64) []workload.Job {
	d, err := d.withDefaults()
	if err != nil {
		return nil
	}
	p := profilesByName[d.ProfileName]
	w := daySampler{DayDrawer: d, clusterProfile: &p, random: newRandom(seed, jobRandomStream), population: newPopulation(seed, d.UserCount, d.AccountCount, p.activitySigma), templatesByUser: map[string][]workload.Job{}}
	bursts := w.drawSubmissions()
	at := arrivalTimes(newRandom(seed, arrivalRandomStream), len(bursts), d.DayCount*daySeconds, hourlyRate)
	w.random.Shuffle(len(at), func(a, b int) { at[a], at[b] = at[b], at[a] })
	var jobs []workload.Job
	for i, b := range bursts {
		for _, j := range b {
			j.Arrive += at[i]
			jobs = append(jobs, j)
		}
	}
	return assignIDs(jobs)
}

// daySampler is a drawing of Day.
type daySampler struct {
	DayDrawer
	*clusterProfile
	*population
	random          *rand.Rand
	templateCount   int                       // of jobs, so far
	templatesByUser map[string][]workload.Job // by user: the last jobs, which serve again
}

// Habits of people.
const (
	repeatedSubmissionShare  = .65 // share of submissions that repeat one of the last ones
	templatesKeptPerUser     = 10
	singleJobSubmissionShare = .7 // share of submissions that are one job; others are sweeps
	meanFurtherSweepJobs     = 4  // mean number of further jobs of a sweep
	maxSweepSeconds          = 120
)

// drawSubmissions draws submissions until they ask for as much as the load wants. One
// that would ask for more than is left is drawn again, some times.
func (w *daySampler) drawSubmissions() [][]workload.Job {
	left := w.OfferedLoad * float64(w.ClusterGPUs) * w.DayCount * daySeconds
	var all [][]workload.Job
	for tries := 0; left > 0 && tries < 100; {
		b := w.drawSubmission()
		if cost := sumGPUSeconds(b); cost <= left {
			all, left, tries = append(all, b), left-cost, 0
		} else {
			tries++
		}
	}
	return all
}

// drawSubmission draws one submission: a job, or a sweep of them.
func (w *daySampler) drawSubmission() []workload.Job {
	template := w.pickTemplate(w.pickUser(w.random))
	n := 1
	if w.random.Float64() >= singleJobSubmissionShare {
		n += 1 + int(w.random.ExpFloat64()*(meanFurtherSweepJobs-1))
	}
	jobs := make([]workload.Job, n)
	for i := range jobs {
		jobs[i] = w.drawRun(template)
		if i > 0 {
			jobs[i].Arrive = math.Floor(w.random.Float64() * maxSweepSeconds)
		}
	}
	return jobs
}

// pickTemplate is what the user submits: something known, or something new.
func (w *daySampler) pickTemplate(u *user) workload.Job {
	known := w.templatesByUser[u.name]
	if len(known) > 0 && w.random.Float64() < repeatedSubmissionShare {
		return known[w.random.IntN(len(known))]
	}
	j := w.drawTemplate(u)
	if len(known) == templatesKeptPerUser {
		known = known[1:]
	}
	w.templatesByUser[u.name] = append(known, j)
	return j
}

var (
	jobClasses        = []string{"image", "language", "speech"}
	jobClassShares    = []float64{.2, .7, .1}
	cpusPerGPUChoices = []int{2, 4, 6, 8, 10, 12}
	cpusPerGPUShares  = []float64{.05, .2, .15, .2, .25, .15}
)

const memMBPerCPU = 8 << 10 // megabytes

// drawTemplate draws a new kind of job. Its duration is only a place among others: a
// quantile, until drawRun makes seconds of it.
func (w *daySampler) drawTemplate(u *user) workload.Job {
	r := w.random
	gpus := drawPowerOfTwo(r, w.sizeShares[:], w.ClusterGPUs/2)
	class := jobClasses[pickIndex(r, jobClassShares)]
	w.templateCount++
	j := workload.Job{
		Name: fmt.Sprintf("%s-%d", class, w.templateCount), User: u.name, Account: u.account, Class: class,
		GPUs: gpus, CPUs: gpus * cpusPerGPUChoices[pickIndex(r, cpusPerGPUShares)], Duration: r.NormFloat64(), IsSilent: true,
		IsUnstoppable: r.Float64() >= w.CheckpointShare,
	}
	j.MemMB = int64(j.CPUs) * memMBPerCPU
	if !j.IsUnstoppable {
		j.RestartCostSeconds = 20 + 5*float64((gpus+7)/8)
	}
	return j
}

// Runs of one template resemble each other: this much of the variance of the
// logarithm of run times is between templates, the rest within.
const templateVarianceShare = .75

// drawRun draws a run of a template.
func (w *daySampler) drawRun(template workload.Job) workload.Job {
	j := template
	z := math.Sqrt(templateVarianceShare)*template.Duration + math.Sqrt(1-templateVarianceShare)*w.random.NormFloat64()
	u := .5 * math.Erfc(-z/math.Sqrt2)
	j.End = w.drawJobEnd(j.GPUs, u)
	long := w.runTime(u, sizeBin(j.GPUs, len(w.sizeShares)))
	j.Duration = min(roundUpSeconds(long), w.MaxRunTime.Seconds())
	j.TimeLimit = workload.DrawTimeLimit(w.random, j.Duration, w.MaxRunTime)
	return j
}

// Of failed jobs, so many break early: they are among the shortest.
const (
	earlyFailureShare = .6
	earlyQuantile     = .4
)

// drawJobEnd draws how a job ends whose run time stands at quantile u of all.
func (w *daySampler) drawJobEnd(gpus int, u float64) workload.JobEnd {
	p := endSharesBySize[sizeBin(gpus, len(endSharesBySize))]
	failed := p[2] * (1 - earlyFailureShare)
	if u < earlyQuantile {
		failed += p[2] * earlyFailureShare / earlyQuantile
	}
	done := p[0] / (p[0] + p[1]) * (1 - failed)
	return possibleJobEnds[pickIndex(w.random, []float64{done, 1 - failed - done, failed})]
}

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

// endSharesBySize are the shares of jobs that complete, are cancelled and fail, by GPUs:
// 1, 2, 4, 8, 16, 32, 64 and more (Helios).
var endSharesBySize = [7][3]float64{
	{.67, .18, .15}, {.41, .32, .27}, {.58, .19, .23}, {.55, .29, .16}, {.43, .46, .11}, {.44, .41, .15}, {.21, .69, .10},
}

var possibleJobEnds = [3]workload.JobEnd{workload.Completed, workload.Cancelled, workload.Failed}

// sizeBin returns the index of the smallest power of two that holds the GPUs, at
// most the last one of n.
func sizeBin(gpus, n int) int {
	i := 0
	for i < n-1 && 1<<i < gpus {
		i++
	}
	return i
}

// drawJobEndForSize draws how a job ends.
func drawJobEndForSize(r *rand.Rand, gpus int) workload.JobEnd {
	return possibleJobEnds[pickIndex(r, endSharesBySize[sizeBin(gpus, len(endSharesBySize))][:])]
}
