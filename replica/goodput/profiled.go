package goodput

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// profile lets the job measure one device of every type, with every batch size that was measured
// there and that fits. It counts as never having run: it begins on the fewest devices.
func (r *Run) profile(types []GPUType) {
	alone := packed(1, 1)
	for _, t := range types {
		table := r.job.tableOf(t.Name)
		if table == nil {
			continue
		}
		there := r.job.onType(t.Name)
		for _, k := range table.placed[alone.digits] {
			if n := int(k.perDevice); n >= there.LeastPerDevice && n <= there.MostPerDevice {
				r.seen.addStep(r.job, t.Name, alone, n)
			}
		}
	}
}

// carriedOver is the fits, of which those that tell of one device only give way to what was
// fitted on the type on which the job had the most: as much slower or faster as one device is.
func (s *seenSpeeds) carriedOver(b *policy.BatchRange) []policy.StepTime {
	most, from := map[string]int{}, -1
	for _, m := range s.steps {
		most[m.gpuType] = max(most[m.gpuType], m.Devices)
	}
	for i := range s.fits {
		if most[s.fits[i].Type] > 1 && (from < 0 || most[s.fits[i].Type] > most[s.fits[from].Type]) {
			from = i
		}
	}
	if from < 0 {
		return s.fits
	}
	known := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Scaling: &policy.Scaling{StepTimes: s.fits, Batch: b}}
	all, curve := make([]policy.StepTime, len(s.fits)), scaling.New(known)
	there := curve.Goodput(scaling.Size{Type: s.fits[from].Type, Devices: 1, Nodes: 1})
	for i, f := range s.fits {
		all[i] = f
		here := curve.Goodput(scaling.Size{Type: f.Type, Devices: 1, Nodes: 1})
		if most[f.Type] > 1 || !(here > 0) || !(there > 0) || math.IsInf(there/here, 0) {
			continue
		}
		all[i] = s.fits[from]
		all[i].Type = f.Type
		for _, seconds := range []*float64{&all[i].GradAlpha, &all[i].GradBeta, &all[i].LocalAlpha, &all[i].LocalBeta, &all[i].NetAlpha, &all[i].NetBeta} {
			*seconds *= there / here
		}
		if all[i].MostPerDevice == 0 {
			all[i].MostPerDevice = b.MostPerDevice
		}
	}
	return all
}
