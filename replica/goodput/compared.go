package goodput

import (
	"slices"

	"fairbridge/policy"
)

// onOtherTypes is the fits, and for each other type of the cluster the first of them: as much
// slower or faster as one device of that type is.
func (r *Run) onOtherTypes() []policy.StepTime {
	all := r.seen.fits
	for _, typ := range r.types {
		if !hasFit(r.seen.fits, typ) {
			all = append(all[:len(all):len(all)], r.job.asFastOn(r.seen.fits[0], typ))
		}
	}
	return all
}

// asFastOn is what was fitted on one type, for another.
func (a *Application) asFastOn(fit policy.StepTime, typ string) policy.StepTime {
	slower := a.singleSpeed(fit.Type) / a.singleSpeed(typ)
	for _, seconds := range []*float64{&fit.GradAlpha, &fit.GradBeta, &fit.LocalAlpha, &fit.LocalBeta, &fit.NetAlpha, &fit.NetBeta} {
		*seconds *= slower
	}
	fit.Type = typ
	return fit
}

// singleSpeed is how many samples a second one device of a type does where it does the most in
// one go, as Sia's simulator profiles them.
func (a *Application) singleSpeed(typ string) float64 {
	t := a.tableOf(typ)
	samples, seconds := 0.0, 0.0
	for _, k := range t.placed[packed(1, 1).digits] {
		samples, seconds = max(samples, k.perDevice), max(seconds, k.cost.step)
	}
	if seconds == 0 { // one device was not measured
		samples = float64(a.onType(typ).MostPerDevice)
		seconds = t.cost(packed(1, 1), a.onType(typ).MostPerDevice).step
	}
	return samples / seconds
}

func hasFit(fits []policy.StepTime, typ string) bool {
	return slices.ContainsFunc(fits, func(f policy.StepTime) bool { return f.Type == typ })
}
