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
