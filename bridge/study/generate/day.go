package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// Day draws days of a GPU cluster as the Helios study measured four of them (Hu
// et al., SC 2021): most jobs are small and short but the large and long ones
// take the GPU time, few users do most of it, people work by day and less on
// weekends, send the same job again and again and in sweeps, ask for far more
// time than they need, and cancel or break a good part. The first day is a
// Monday.
type Day struct {
	Profile  string  // helios (all four), venus, earth, saturn or uranus; helios
	Days     float64 // 1
	GPUs     int     // of the cluster; 64. No job wants more than half of them.
	Load     float64 // GPU time asked for, as a part of what the GPUs have; .85
	Users    int     // 200
	Accounts int     // 12
	// Longest is what the partition allows; jobs run no longer, and four of ten
	// ask for all of it; 2 days.
	Longest time.Duration
	// Checkpoint is the share of jobs that may be stopped; .5. Negative: none.
	Checkpoint float64
}

func (d Day) withDefaults() (Day, error) {
	if d.Profile == "" {
		d.Profile = "helios"
	}
	if _, known := profiles[d.Profile]; !known {
		return d, fmt.Errorf("no profile %q; there are helios, venus, earth, saturn and uranus", d.Profile)
	}
	d.Days, d.GPUs, d.Load, d.Users, d.Accounts = orDefault(d.Days, 1), orDefault(d.GPUs, 64), orDefault(d.Load, .85), orDefault(d.Users, 200), orDefault(d.Accounts, 12)
	d.Checkpoint = orDefault(d.Checkpoint, .5)
	if d.Longest == 0 {
		d.Longest = 48 * time.Hour
	}
	return d, nil
}

// AccountsOf returns the accounts of the workload of that seed. Their shares
// are what their users ask for, 30 % more or less.
func (d Day) AccountsOf(seed int64) []policy.Account {
	d, err := d.withDefaults()
	if err != nil {
		return nil
	}
	p := profiles[d.Profile]
	return newPopulation(seed, d.Users, d.Accounts, p.sigma).accounts
}

// Draw returns the jobs; none for a profile that does not exist.
func (d Day) Draw(seed int64) []workload.Job {
	d, err := d.withDefaults()
	if err != nil {
		return nil
	}
	p := profiles[d.Profile]
	w := dayDraw{Day: d, profile: &p, r: randomSource(seed, ofJobs), population: newPopulation(seed, d.Users, d.Accounts, p.sigma), known: map[string][]workload.Job{}}
	bursts := w.submissions()
	at := arrivalTimes(randomSource(seed, ofArrivals), len(bursts), d.Days*day, hourlyRate)
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
	Day
	*profile
	*population
	r     *rand.Rand
	kinds int                       // of jobs, so far
	known map[string][]workload.Job // by user: the last jobs, which serve again
}

// Habits of people.
const (
	repeatShare   = .65 // share of submissions that repeat one of the last ones
	templatesKept = 10
	singleShare   = .7 // share of submissions that are one job; others are sweeps
	meanSweep     = 4  // mean number of further jobs of a sweep
	sweepSeconds  = 120
)

// submissions draws submissions until they ask for as much as the load wants. One
// that would ask for more than is left is drawn again, some times.
func (w *dayDraw) submissions() [][]workload.Job {
	left := w.Load * float64(w.GPUs) * w.Days * day
	var all [][]workload.Job
	for tries := 0; left > 0 && tries < 100; {
		b := w.submission()
		if cost := gpuSeconds(b); cost <= left {
			all, left, tries = append(all, b), left-cost, 0
		} else {
			tries++
		}
	}
	return all
}

// submission draws one submission: a job, or a sweep of them.
func (w *dayDraw) submission() []workload.Job {
	template := w.template(w.pickUser(w.r))
	n := 1
	if w.r.Float64() >= singleShare {
		n += 1 + int(w.r.ExpFloat64()*(meanSweep-1))
	}
	jobs := make([]workload.Job, n)
	for i := range jobs {
		jobs[i] = w.runOf(template)
		if i > 0 {
			jobs[i].Arrive = math.Floor(w.r.Float64() * sweepSeconds)
		}
	}
	return jobs
}

// template is what the user submits: something known, or something new.
func (w *dayDraw) template(u *user) workload.Job {
	known := w.known[u.name]
	if len(known) > 0 && w.r.Float64() < repeatShare {
		return known[w.r.IntN(len(known))]
	}
	j := w.newTemplate(u)
	if len(known) == templatesKept {
		known = known[1:]
	}
	w.known[u.name] = append(known, j)
	return j
}

var (
	classes    = []string{"image", "language", "speech"}
	classMix   = []float64{.2, .7, .1}
	cpusPerGPU = []int{2, 4, 6, 8, 10, 12}
	cpuMix     = []float64{.05, .2, .15, .2, .25, .15}
)

const memPerCPU = 8 << 10 // megabytes

// newTemplate draws a new kind of job. Its duration is only a place among others: a
// quantile, until run makes seconds of it.
func (w *dayDraw) newTemplate(u *user) workload.Job {
	r := w.r
	gpus := drawSize(r, w.sizes[:], w.GPUs/2)
	class := classes[pickIndex(r, classMix)]
	w.kinds++
	j := workload.Job{
		Name: fmt.Sprintf("%s-%d", class, w.kinds), User: u.name, Account: u.account, Class: class,
		GPUs: gpus, CPUs: gpus * cpusPerGPU[pickIndex(r, cpuMix)], Duration: r.NormFloat64(), Silent: true,
		Unstoppable: r.Float64() >= w.Checkpoint,
	}
	j.MemMB = int64(j.CPUs) * memPerCPU
	if !j.Unstoppable {
		j.Checkpoint = 20 + 5*float64((gpus+7)/8)
	}
	return j
}
