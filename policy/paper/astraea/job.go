package astraea

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/survival"
)

// job is one that runs or could start.
type job struct {
	*engine.Entry
	tenant        *tenant
	leaseDuration time.Duration
	isStarving    bool
	fairness      int     // received over deserved GPU time, 0 to Levels: see discretiseFairness
	reward        float64 // minus the chance to end within a lease, per GPU
	hasLease      bool    // it has a lease in this round
	note          string
}

// compare is the order of jobs within an account; one that runs goes first
// among equals.
func (j *job) compare(o *job) int {
	switch {
	case j.isStarving != o.isStarving:
		return precedenceSign(j.isStarving)
	case j.isStarving:
		return engine.CompareArrival(j.Entry, o.Entry)
	}
	if c := cmp.Or(cmp.Compare(j.fairness, o.fairness), cmp.Compare(j.reward, o.reward)); c != 0 {
		return c
	}
	if j.HoldsGPUs() != o.HoldsGPUs() {
		return precedenceSign(j.HoldsGPUs())
	}
	return engine.CompareArrival(j.Entry, o.Entry)
}

// precedenceSign is the result of comparing something that has precedence with
// something that has not, or the reverse.
func precedenceSign(has bool) int {
	if has {
		return -1
	}
	return 1
}

func (j *job) wholeGPUs() float64 { return j.Ask.GPUs.WholeGPUs() }

// describe tells the owner how the account and the job stand.
func (j *job) describe() string {
	t := j.tenant
	return fmt.Sprintf("account %s has %.2f of the GPU time its quota of %s yields, and the job stands at step %d of its fairness",
		t.name, t.servedFraction(), formatQuota(t.quota), j.fairness)
}

// formatQuota prints a quota as GPUs, in the singular of one.
func formatQuota(gpus float64) string {
	if gpus == 1 {
		return "1 GPU"
	}
	return fmt.Sprintf("%.3g GPUs", gpus)
}

// discretiseFairness puts the ratio of received to deserved service on a scale of k levels
// that is finest around one: 0 for nothing received, k for far too much.
func discretiseFairness(ratio float64, k int) int {
	if !(ratio > 0) {
		return 0
	}
	if math.IsInf(ratio, 1) {
		return k
	}
	ln := math.Log(ratio)
	phi := -ln / math.Sqrt(1+ln*ln)
	return k - int(math.Floor((phi+1)/2*float64(k)))
}

// finishedRunTimes are those of finished jobs, in all and by GPU count.
type finishedRunTimes struct {
	allRunTimes        survival.SizeSample
	runTimesByGPUCount map[int]survival.SizeSample
}

func newFinishedRunTimes(history []policy.FinishedJob) finishedRunTimes {
	var all []float64
	by := map[int][]float64{}
	for _, h := range history {
		all = append(all, h.Ran.Seconds())
		by[h.GPUs] = append(by[h.GPUs], h.Ran.Seconds())
	}
	t := finishedRunTimes{survival.NewSizeSample(all), map[int]survival.SizeSample{}}
	for gpus, ran := range by {
		t.runTimesByGPUCount[gpus] = survival.NewSizeSample(ran)
	}
	return t
}

// negatedEndChance returns minus the chance that the job ends within one more lease, per
// GPU; with fewer than five finished jobs of its size, from all of them.
func (t finishedRunTimes) negatedEndChance(j *job) float64 {
	gpus := j.wholeGPUs()
	if gpus <= 0 {
		return 0
	}
	sizes := t.runTimesByGPUCount[j.Ask.GPUs.Count]
	if sizes.Len() < 5 {
		sizes = t.allRunTimes
	}
	chance, _ := sizes.ChanceToEndWithin(float64(j.Attained)/gpus, j.leaseDuration.Seconds())
	return -chance / gpus
}

// preemptDelayJobs lets a tenant's new jobs that have no lease take the place of its
// own delay jobs: over-served ones that are young in their lease.
func (l *leases) preemptDelayJobs() {
	if !l.lastRoundTime.Before(l.Now) {
		return
	}
	delayed := map[*tenant][]*job{}
	for _, j := range l.keptJobs {
		if !l.isUnstoppable(j.Entry) && j.fairness > discretiseFairness(1, l.Levels) && j.Ran(l.Now)%j.leaseDuration < l.Delay {
			delayed[j.tenant] = append(delayed[j.tenant], j)
		}
	}
	for _, t := range l.tenants {
		slices.SortFunc(delayed[t], func(a, b *job) int {
			return cmp.Or(cmp.Compare(b.fairness, a.fairness), cmp.Compare(a.ID, b.ID))
		})
		l.replaceDelayJobs(t, delayed[t])
	}
	l.keptJobs = slices.DeleteFunc(l.keptJobs, func(j *job) bool { return !j.hasLease })
}

// replaceDelayJobs goes through the tenant's waiting new jobs and its delay jobs.
func (l *leases) replaceDelayJobs(t *tenant, delayed []*job) {
	all := append(t.skippedJobs, t.jobs...)
	t.skippedJobs, t.jobs = nil, nil
	for _, j := range all {
		n := 0
		if !j.HoldsGPUs() && j.FirstStart.IsZero() {
			n = countDelayJobs(j, delayed)
		}
		if n == 0 {
			t.jobs = append(t.jobs, j)
			continue
		}
		for _, d := range delayed[:n] {
			d.hasLease = false
			d.note = d.describe()
			t.jobs = append(t.jobs, d)
		}
		delayed = delayed[n:]
		j.hasLease = true
		l.grantedJobs = append(l.grantedJobs, j)
	}
}

// countDelayJobs returns how many of the delay jobs together hold what j asks; 0 when
// all do not.
func countDelayJobs(j *job, delayed []*job) int {
	devices := 0
	for i, d := range delayed {
		for _, slot := range d.On {
			if typ := j.Ask.GPUs.Type; typ == "" || typ == slot.Type {
				devices += slot.Count
			}
		}
		if devices >= j.Ask.GPUs.Count {
			return i + 1
		}
	}
	return 0
}
