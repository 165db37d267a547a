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

// petition is a job of a round of Astraea.
type petition struct {
	*engine.Entry
	tenant  *tenant
	lease   time.Duration
	starved bool
	step    int     // how far it is over-served, 0 to Levels
	reward  float64 // minus the chance to end within a lease, per GPU
	granted bool
}

// compare is the order of jobs within an account; one that runs goes first
// among equals.
func (p *petition) compare(q *petition) int {
	switch {
	case p.starved != q.starved:
		return first(p.starved)
	case p.starved:
		return engine.ByArrival(p.Entry, q.Entry)
	}
	if c := cmp.Or(cmp.Compare(p.step, q.step), cmp.Compare(p.reward, q.reward)); c != 0 {
		return c
	}
	if p.Active() != q.Active() {
		return first(p.Active())
	}
	return engine.ByArrival(p.Entry, q.Entry)
}

// first is the result of comparing something that has precedence with
// something that has not, or the reverse.
func first(has bool) int {
	if has {
		return -1
	}
	return 1
}

func (p *petition) gpus() float64 { return p.Ask.GPUs.Whole() }

// note tells the owner how the account and the job stand.
func (p *petition) note() string {
	t := p.tenant
	return fmt.Sprintf("account %s has %.2f of the GPU time its quota of %.3g GPUs yields, and the job stands at step %d of its fairness",
		t.name, t.served(), t.quota, p.step)
}

// step puts the ratio of received to deserved service on a scale of k steps
// that is finest around one: 0 for nothing received, k for far too much.
func step(ratio float64, k int) int {
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

// endings are the run times of finished jobs, in all and by GPU count.
type endings struct {
	all  survival.Sample
	gpus map[int]survival.Sample
}

func newEndings(history []policy.Sample) endings {
	var all []float64
	by := map[int][]float64{}
	for _, h := range history {
		all = append(all, h.Ran.Seconds())
		by[h.GPUs] = append(by[h.GPUs], h.Ran.Seconds())
	}
	e := endings{survival.NewSample(all), map[int]survival.Sample{}}
	for gpus, ran := range by {
		e.gpus[gpus] = survival.NewSample(ran)
	}
	return e
}

// reward returns minus the chance that the job ends within one more lease, per
// GPU; with fewer than five finished jobs of its size, from all of them.
func (e endings) reward(p *petition) float64 {
	gpus := p.gpus()
	if gpus <= 0 {
		return 0
	}
	sizes := e.gpus[p.Ask.GPUs.Count]
	if sizes.Len() < 5 {
		sizes = e.all
	}
	chance, _ := sizes.EndsWithin(float64(p.Attained)/gpus, p.lease.Seconds())
	return -chance / gpus
}
