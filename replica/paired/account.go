package paired

import (
	"maps"
	"math"
	"slices"

	"fairbridge/replica/measure"
)

// AccountRatios returns each account's mean slowdown over that under the baseline.
func AccountRatios(run, baseline *measure.Run) map[string]float64 {
	mine, theirs := run.MeanSlowdownByAccount(), baseline.MeanSlowdownByAccount()
	ratios := map[string]float64{}
	for name, v := range theirs {
		ratios[name] = mine[name] / v
	}
	return ratios
}

// worstSlowdown is the mean slowdown of the account that has it worst.
func worstSlowdown(r *measure.Run) float64 { return greatest(r.MeanSlowdownByAccount(), nil) }

// accountShares know what accounts are entitled to. Seeds that draw their jobs draw their
// accounts too: of one name, but not of one weight.
type accountShares struct{ weightsBySeed map[int64]map[string]float64 }

func (a *accountShares) worstRatio(run, baseline *measure.Run) float64 {
	return greatest(AccountRatios(run, baseline), nil)
}

func (a *accountShares) worstBelowShare(r *measure.Run) float64 {
	return greatest(r.MeanSlowdownByAccount(), a.belowShare(r))
}

// worstRatioBelowShare looks at the accounts that used less than their share under the
// baseline: who asks for little should not wait for who asks for much.
func (a *accountShares) worstRatioBelowShare(run, baseline *measure.Run) float64 {
	return greatest(AccountRatios(run, baseline), a.belowShare(baseline))
}

// belowShare returns the accounts that used less than their share.
func (a *accountShares) belowShare(r *measure.Run) map[string]bool {
	below := map[string]bool{}
	for name, use := range a.useOfShare(r) {
		below[name] = use < 1
	}
	return below
}

// useOfShare is, by account, its part of the GPU time used over its part of the weights of those that had jobs.
func (a *accountShares) useOfShare(r *measure.Run) map[string]float64 {
	use, usedSum, weightSum := map[string]float64{}, 0.0, 0.0
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		use[j.Account] += j.Service
		usedSum += j.Service
	}
	names := slices.Sorted(maps.Keys(use))
	for _, name := range names {
		weightSum += a.weightOf(r.Seed, name)
	}
	for _, name := range names {
		use[name] *= weightSum / a.weightOf(r.Seed, name) / usedSum
	}
	return use
}

// slowdownOf is the mean slowdown of the jobs of accounts that used at least and less than so much of their share under
// the baseline; NaN where there are none.
func (a *accountShares) slowdownOf(run, baseline *measure.Run, least, below float64) float64 {
	use, sum, n := a.useOfShare(baseline), 0.0, 0.0
	for i := range run.JobOutcomes {
		if j := &run.JobOutcomes[i]; use[j.Account] >= least && use[j.Account] < below {
			sum, n = sum+j.Slowdown(), n+1
		}
	}
	return sum / n
}

// weightOf is an account's weight on a seed, 1 where none is given.
func (a *accountShares) weightOf(seed int64, name string) float64 {
	if w, ok := a.weightsBySeed[seed][name]; ok {
		return w
	}
	return 1
}

// greatest value of those; NaN where there is none. only: those named; nil: all.
func greatest(values map[string]float64, only map[string]bool) float64 {
	most := math.NaN()
	for name, v := range values {
		if (only == nil || only[name]) && !(v <= most) {
			most = v
		}
	}
	return most
}
