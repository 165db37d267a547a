package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// DayDrawer draws days of a GPU cluster as the Helios study measured four of them (Hu
// et al., SC 2021): most jobs are small and short but the large and long ones
// take the GPU time, few users do most of it, people work by day and less on
// weekends, send the same job again and again and in sweeps, ask for far more
// time than they need, and cancel or break a good part. The first day is a
// Monday.
type DayDrawer struct {
	Profile  string  // helios (all four), venus, earth, saturn or uranus; helios
	Days     float64 // 1
	GPUs     int     // of the cluster; 64. No job wants more than half of them.
	Load     float64 // GPU time asked for, as a part of what the GPUs have; .85
	Users    int     // 200
	Accounts int     // 12
	// MaxRunTime is what the partition allows; jobs run no longer, and four of ten
	// ask for all of it; 2 days.
	MaxRunTime time.Duration
	// CheckpointShare is the share of jobs that may be stopped; .5. Negative: none.
	CheckpointShare float64
}

func (d DayDrawer) withDefaults() (DayDrawer, error) {
	if d.Profile == "" {
		d.Profile = "helios"
	}
	if _, known := profilesByName[d.Profile]; !known {
		return d, fmt.Errorf("no profile %q; there are helios, venus, earth, saturn and uranus", d.Profile)
	}
	d.Days, d.GPUs, d.Load, d.Users, d.Accounts = orDefault(d.Days, 1), orDefault(d.GPUs, 64), orDefault(d.Load, .85), orDefault(d.Users, 200), orDefault(d.Accounts, 12)
	d.CheckpointShare = orDefault(d.CheckpointShare, .5)
	if d.MaxRunTime == 0 {
		d.MaxRunTime = 48 * time.Hour
	}
	return d, nil
}

// AccountsOf returns the accounts of the workload of that seed. Their shares
// are what their users ask for, 30 % more or less.
func (d DayDrawer) AccountsOf(seed int64) []policy.Account {
	d, err := d.withDefaults()
	if err != nil {
		return nil
	}
	p := profilesByName[d.Profile]
	return newPopulation(seed, d.Users, d.Accounts, p.activitySigma).accounts
}

// Draw returns the jobs; none for a profile that does not exist.
func (d DayDrawer) Draw(seed int64) []workload.Job {
	d, err := d.withDefaults()
	if err != nil {
		return nil
	}
	p := profilesByName[d.Profile]
	w := dayDraw{DayDrawer: d, clusterProfile: &p, r: randomSource(seed, ofJobs), population: newPopulation(seed, d.Users, d.Accounts, p.activitySigma), templatesByUser: map[string][]workload.Job{}}
	bursts := w.drawSubmissions()
	at := arrivalTimes(randomSource(seed, ofArrivals), len(bursts), d.Days*daySeconds, hourlyRate)
	w.r.Shuffle(len(at), func(a, b int) { at[a], at[b] = at[b], at[a] })
	var jobs []workload.Job
	for i, b := range bursts {
		for _, j := range b {
			j.Arrive += at[i]
			jobs = append(jobs, j)
		}
	}
	return assignIDs(jobs)
}

// dayDraw is a drawing of Day.
type dayDraw struct {
	DayDrawer
	*clusterProfile
	*population
	r               *rand.Rand
	templateCount   int                       // of jobs, so far
	templatesByUser map[string][]workload.Job // by user: the last jobs, which serve again
}

// Habits of people.
const (
	repeatShare          = .65 // share of submissions that repeat one of the last ones
	templatesKeptPerUser = 10
	singleJobShare       = .7 // share of submissions that are one job; others are sweeps
	meanSweepJobs        = 4  // mean number of further jobs of a sweep
	maxSweepSeconds      = 120
)

// drawSubmissions draws submissions until they ask for as much as the load wants. One
// that would ask for more than is left is drawn again, some times.
func (w *dayDraw) drawSubmissions() [][]workload.Job {
	left := w.Load * float64(w.GPUs) * w.Days * daySeconds
	var all [][]workload.Job
	for tries := 0; left > 0 && tries < 100; {
		b := w.drawSubmission()
		if cost := gpuSeconds(b); cost <= left {
			all, left, tries = append(all, b), left-cost, 0
		} else {
			tries++
		}
	}
	return all
}

// drawSubmission draws one submission: a job, or a sweep of them.
func (w *dayDraw) drawSubmission() []workload.Job {
	template := w.pickTemplate(w.pickUser(w.r))
	n := 1
	if w.r.Float64() >= singleJobShare {
		n += 1 + int(w.r.ExpFloat64()*(meanSweepJobs-1))
	}
	jobs := make([]workload.Job, n)
	for i := range jobs {
		jobs[i] = w.drawRun(template)
		if i > 0 {
			jobs[i].Arrive = math.Floor(w.r.Float64() * maxSweepSeconds)
		}
	}
	return jobs
}

// pickTemplate is what the user submits: something known, or something new.
func (w *dayDraw) pickTemplate(u *user) workload.Job {
	known := w.templatesByUser[u.name]
	if len(known) > 0 && w.r.Float64() < repeatShare {
		return known[w.r.IntN(len(known))]
	}
	j := w.drawTemplate(u)
	if len(known) == templatesKeptPerUser {
		known = known[1:]
	}
	w.templatesByUser[u.name] = append(known, j)
	return j
}

var (
	jobClasses  = []string{"image", "language", "speech"}
	classShares = []float64{.2, .7, .1}
	cpusPerGPU  = []int{2, 4, 6, 8, 10, 12}
	cpuShares   = []float64{.05, .2, .15, .2, .25, .15}
)

const memPerCPU = 8 << 10 // megabytes

// drawTemplate draws a new kind of job. Its duration is only a place among others: a
// quantile, until run makes seconds of it.
func (w *dayDraw) drawTemplate(u *user) workload.Job {
	r := w.r
	gpus := drawSize(r, w.sizeShares[:], w.GPUs/2)
	class := jobClasses[pickIndex(r, classShares)]
	w.templateCount++
	j := workload.Job{
		Name: fmt.Sprintf("%s-%d", class, w.templateCount), User: u.name, Account: u.account, Class: class,
		GPUs: gpus, CPUs: gpus * cpusPerGPU[pickIndex(r, cpuShares)], Duration: r.NormFloat64(), Silent: true,
		Unstoppable: r.Float64() >= w.CheckpointShare,
	}
	j.MemMB = int64(j.CPUs) * memPerCPU
	if !j.Unstoppable {
		j.Checkpoint = 20 + 5*float64((gpus+7)/8)
	}
	return j
}
