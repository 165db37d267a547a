package exact

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// profile is what the harness of Shockwave tells its policies of a job: not
// what it did, but what it planned, in whole seconds an epoch, corrected by its
// measured speed where that is far off. What is measured counts from the start
// of the workload, waiting included, as if the job had always gone as fast as
// when it last ran; so the correction is itself far off for jobs that waited
// long and go slower or faster than in their last planned epoch. It makes
// Shockwave's published fairness what it is.
type profile struct {
	plan     []policy.Regime
	modes    []policy.Regime // each batch size of the plan once, ascending
	samples  float64         // in an epoch
	round    int             // of the last measurement
	measured float64         // samples, as measured
	factor   float64         // by which epochs take longer than planned
}

// tolerance is how far measured samples may be from the planned ones, relative
// to those, before they count.
const tolerance = 0.4

func newProfile(j *job) *profile {
	p := &profile{plan: slices.Clone(j.plan), samples: float64(workload.Samples(j.Training.Model)), factor: 1}
	for i := range p.plan {
		p.plan[i].SecondsPerEpoch = max(1, math.RoundToEven(p.plan[i].SecondsPerEpoch))
		r := policy.Regime{BatchSize: p.plan[i].BatchSize, SecondsPerEpoch: p.plan[i].SecondsPerEpoch}
		if at, found := slices.BinarySearchFunc(p.modes, r, byBatch); !found {
			p.modes = slices.Insert(p.modes, at, r)
		}
	}
	return p
}

func byBatch(a, b policy.Regime) int { return cmp.Compare(a.BatchSize, b.BatchSize) }

// measure notes at the end of a round of so many seconds, the first being 1,
// that the job ran at the speed.
func (p *profile) measure(round int, seconds, speed float64) {
	p.measured += speed * seconds * float64(round-p.round)
	p.round = round
	planned := p.plannedSamples(seconds * float64(round))
	if p.measured > 0 && planned > 0 && math.Abs(p.measured-planned) > tolerance*planned {
		p.factor = planned / p.measured
	}
}

// plannedSamples returns the samples planned by a time from the start; beyond the plan its
// last epoch is repeated.
func (p *profile) plannedSamples(left float64) float64 {
	samples, epoch := 0.0, 1.0
	for _, r := range p.plan {
		epoch = r.SecondsPerEpoch
		n := min(math.Floor(left/epoch), r.Epochs)
		left -= n * epoch
		samples += n * p.samples
		if n < r.Epochs {
			break
		}
	}
	return samples + p.samples*left/(epoch*p.factor)
}

// fillReport puts the plan of the first so many epochs into a report.
func (p *profile) fillReport(t *policy.Training, epochs float64) {
	t.SeenRegimes, t.PossibleRegimes = t.SeenRegimes[:0], t.PossibleRegimes[:0]
	for _, r := range p.plan {
		if epochs <= 0 {
			break
		}
		n := min(r.Epochs, epochs)
		epochs -= n
		t.SeenRegimes = append(t.SeenRegimes, policy.Regime{BatchSize: r.BatchSize, Epochs: n, SecondsPerEpoch: r.SecondsPerEpoch * p.factor})
	}
	for _, r := range p.modes {
		t.PossibleRegimes = append(t.PossibleRegimes, policy.Regime{BatchSize: r.BatchSize, SecondsPerEpoch: r.SecondsPerEpoch * p.factor})
	}
}
