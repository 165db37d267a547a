package interference

import (
	"cmp"
	"math"

	"fairbridge/policy"
)

// Risk returns how much of their speed two jobs are expected to lose beside each other, in the mean, and the standard
// error of that which comes from not knowing how much they use: the mean over what they use by a standard error
// more and less, and half the difference. Where what one uses is not known, it is as JobBeside has it.
func Risk(j, other *policy.Job) (loss, sigma float64) {
	a, b := Utilisation(j), Utilisation(other)
	if !a.Known || !b.Known {
		e := JobBeside(j, other)
		return 1 - e.Speed, e.Sigma
	}
	sum, off := a.Value+b.Value, math.Hypot(sigmaOf(j), sigmaOf(other))
	slow, fast := 1-min(PairAt(sum+off).Mean, 1), 1-min(PairAt(sum-off).Mean, 1)
	return (slow + fast) / 2, math.Abs(slow-fast) / 2
}

// sigmaOf is the standard error of the job's utilisation.
func sigmaOf(j *policy.Job) float64 {
	return cmp.Or(j.Sharing, &policy.Sharing{}).UtilisationSigma
}
