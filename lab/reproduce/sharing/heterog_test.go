package sharing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
)

// nodesOf are n nodes with so many GPUs each, of a type by which they are named.
func nodesOf(n, each int, gpuType string) []policy.Node {
	all := cluster(n, each, gpuType)
	for i := range all {
		all[i].Name = fmt.Sprintf("%s%02d", gpuType, i)
	}
	return all
}

// spread returns the middle value, the higher of two, and the least and the most.
func spread(values []float64) (middle, least, most float64) {
	return median(values), slices.Min(values), slices.Max(values)
}

// twoTypes are four nodes of four GPUs of each of two types, of which one is twice as fast.
func twoTypes() []policy.Node { return append(nodesOf(4, 4, "fast"), nodesOf(4, 4, "slow")...) }

// mixedJobs are 1,000 gangs of 1 to 16 GPUs that arrive by a Poisson process and ask for nine tenths of
// what the GPUs of twoTypes can do; a part of them accepts both types at once.
func mixedJobs(seed int64, accepting float64) []workload.Job {
	const power, load = 16*1 + 16*.5, .9
	r := rand.New(rand.NewPCG(uint64(seed), 10))
	jobs, work := make([]workload.Job, 1000), 0.0
	for i := range jobs {
		jobs[i] = workload.Job{ID: int64(i + 1), GPUs: 1 << r.IntN(5), Duration: math.Ceil(3600 * math.Exp(r.NormFloat64()-.5)),
			Speeds: map[string]float64{"fast": 1, "slow": .5}, AcceptsMixedTypes: r.Float64() < accepting}
		work += jobs[i].Duration * float64(jobs[i].GPUs)
	}
	at := 0.0
	for i := range jobs {
		at += work / power / load / float64(len(jobs)) * r.ExpFloat64()
		jobs[i].Arrive = math.Floor(at)
	}
	return jobs
}

func meanOfMixed(t *testing.T, jobs []workload.Job, name string, params paper.Params) float64 {
	run := simulate(t, exact.Config{Nodes: twoTypes(), Jobs: jobs, Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 0), Policy: system(t, name, params)})
	return run.Summarize().AvgJCT
}

// TestReproduceHeteroG: how much sooner jobs complete if some run on both types at once, each GPU doing
// as much of a batch as it is fast.
//
// Wanted was a factor of 1.08 where three of ten jobs accept that, and at most 1.02 with equal parts. Seen were
// 1.06 (.93 to 1.29 over 15 seeds) and .86: mixes take up what is free here and there, in which gangs that
// accept one type only would have found room once it had gathered. With six of ten it is 1.33, with all of them 1.65; with
// gangs of at most 8 of the 16 GPUs of a type, which find room more easily, 1.02, 1.04 and 1.09. The order, the
// reservations and stops that were tried, first come first served with and without, and the shortest first with
// reservations and with stops, have .98 to 1.08.
func TestReproduceHeteroG(t *testing.T) {
	var three, six, even, slurm []float64
	for seed := int64(1); seed <= 15; seed++ {
		jobs := mixedJobs(seed, .3)
		single := meanOfMixed(t, jobs, "heterog", paper.Params{"mix": "never"})
		mixed := meanOfMixed(t, jobs, "heterog", nil)
		three, even = append(three, single/mixed), append(even, single/meanOfMixed(t, jobs, "heterog", paper.Params{"mix": "even"}))
		six = append(six, single/meanOfMixed(t, mixedJobs(seed, .6), "heterog", nil))
		slurm = append(slurm, meanOfMixed(t, jobs, "multifactor", nil)/mixed)
	}
	for _, c := range []struct {
		name        string
		gains       []float64
		least, most float64
	}{{"three of ten accept both", three, 1.03, 9}, {"six of ten", six, 1.08, 9}, {"three of ten, equal parts", even, 0, 1.02}, {"multifactor over mixes", slurm, 1.5, 9}} {
		gain, least, most := spread(c.gains)
		t.Logf("%s: %.3f (%.3f to %.3f)", c.name, gain, least, most)
		if gain < c.least || gain > c.most {
			t.Errorf("%s: jobs complete in 1/%.3f of the time, want %g to %g", c.name, gain, c.least, c.most)
		}
	}
}
