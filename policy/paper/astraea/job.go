package astraea

import (
	"cmp"
	"fmt"
	"math"
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
