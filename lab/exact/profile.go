package exact

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// plannedProfile is what the harness of Shockwave tells its policies of a job: not
// what it did, but what it planned, in whole seconds an epoch, corrected by its
// measured speed where that is far off. What is measured counts from the start
// of the workload, waiting included, as if the job had always gone as fast as
// when it last ran; so the correction is itself far off for jobs that waited
// long and go slower or faster than in their last planned epoch. It makes
// Shockwave's published fairness what it is.
type plannedProfile struct {
	plannedRegimes    []policy.Regime
	distinctRegimes   []policy.Regime // each batch size of the plan once, ascending
	samplesPerEpoch   float64         // in an epoch
	lastMeasuredRound int             // of the last measurement
	measuredSamples   float64         // samples, as measured
	slowdownFactor    float64         // by which epochs take longer than planned
}

// measurementTolerance is how far measured samples may be from the planned ones, relative
// to those, before they count.
const measurementTolerance = 0.4

func newPlannedProfile(j *job) *plannedProfile {
	p := &plannedProfile{plannedRegimes: slices.Clone(j.plannedRegimes), samplesPerEpoch: float64(workload.SampleCount(j.Training.Model)), slowdownFactor: 1}
	for i := range p.plannedRegimes {
		p.plannedRegimes[i].SecondsPerEpoch = max(1, math.RoundToEven(p.plannedRegimes[i].SecondsPerEpoch))
		r := policy.Regime{BatchSize: p.plannedRegimes[i].BatchSize, SecondsPerEpoch: p.plannedRegimes[i].SecondsPerEpoch}
		if at, found := slices.BinarySearchFunc(p.distinctRegimes, r, compareBatchSizes); !found {
			p.distinctRegimes = slices.Insert(p.distinctRegimes, at, r)
		}
	}
	return p
}

func compareBatchSizes(a, b policy.Regime) int { return cmp.Compare(a.BatchSize, b.BatchSize) }

// addMeasurement notes at the end of a round of so many seconds, the first being 1,
// that the job ran at the speed.
func (p *plannedProfile) addMeasurement(round int, seconds, speed float64) {
	p.measuredSamples += speed * seconds * float64(round-p.lastMeasuredRound)
	p.lastMeasuredRound = round
	planned := p.plannedSamples(seconds * float64(round))
	if p.measuredSamples > 0 && planned > 0 && math.Abs(p.measuredSamples-planned) > measurementTolerance*planned {
		p.slowdownFactor = planned / p.measuredSamples
	}
}

// plannedSamples returns the samples planned by a time from the start; beyond the plan its
// last epoch is repeated.
func (p *plannedProfile) plannedSamples(left float64) float64 {
	samples, epoch := 0.0, 1.0
	for _, r := range p.plannedRegimes {
		epoch = r.SecondsPerEpoch
		n := min(math.Floor(left/epoch), r.Epochs)
		left -= n * epoch
		samples += n * p.samplesPerEpoch
		if n < r.Epochs {
			break
		}
	}
	return samples + p.samplesPerEpoch*left/(epoch*p.slowdownFactor)
}

// fillReport puts the plan of the first so many epochs into a report.
func (p *plannedProfile) fillReport(t *policy.Training, epochs float64) {
	t.SeenRegimes, t.PossibleRegimes = t.SeenRegimes[:0], t.PossibleRegimes[:0]
	for _, r := range p.plannedRegimes {
		if epochs <= 0 {
			break
		}
		n := min(r.Epochs, epochs)
		epochs -= n
		t.SeenRegimes = append(t.SeenRegimes, policy.Regime{BatchSize: r.BatchSize, Epochs: n, SecondsPerEpoch: r.SecondsPerEpoch * p.slowdownFactor})
	}
	for _, r := range p.distinctRegimes {
		t.PossibleRegimes = append(t.PossibleRegimes, policy.Regime{BatchSize: r.BatchSize, SecondsPerEpoch: r.SecondsPerEpoch * p.slowdownFactor})
	}
}
