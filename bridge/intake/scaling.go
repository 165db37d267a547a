package intake

import (
	"cmp"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// addScaling adds what is known of how fast the job goes on other sizes: by its own reports,
// those of earlier runs included, else by those of its class; for a job of whose size its owner
// leaves us a choice the default, and nothing for others.
func (a *snapshotAssembler) addScaling(out *policy.Job) {
	use := a.UseByJob[int64(out.ID)]
	past := a.speedHistory(out, &use)
	batch := 0
	if out.Training != nil {
		batch = out.Training.BatchSize
	}
	own := scaling.FromMeasured(policy.ScalingFromReports, measured(past.Own), batch)
	source := policy.ScalingFromClass
	if past.IsRecurring {
		source = policy.ScalingFromRecurring
	}
	class := scaling.FromMeasured(source, measured(past.Class), batch)
	used := past.Own
	switch {
	case own != nil && (class == nil || len(own.Points) > 1 || len(class.Points) < 2):
		out.Scaling = own
	case class != nil: // one size of its own says nothing of others, those of its class do
		out.Scaling, used = class, past.Class
	case out.MaxGPUs > 0:
		out.Scaling = scaling.Assumed()
	}
	if out.Scaling != nil && past.Batch != nil {
		scaling.AddStepTimes(out.Scaling, measured(used), past.Batch)
	}
	rateOnAsk(out)
}

// speedHistory returns what was reported before and now.
func (a *snapshotAssembler) speedHistory(out *policy.Job, now *bridge.JobUse) bridge.SpeedHistory {
	var past bridge.SpeedHistory
	if a.Past != nil && a.Past.SpeedsOf != nil {
		past = a.Past.SpeedsOf(out)
	}
	if now.Speed != nil {
		past.Own = append(past.Own[:len(past.Own):len(past.Own)], *now.Speed)
	}
	past.Batch = cmp.Or(now.Batch, past.Batch)
	return past
}

func measured(all []bridge.SeenSpeed) []scaling.Measured {
	out := make([]scaling.Measured, len(all))
	for i := range all {
		out[i] = scaling.Measured(all[i])
	}
	return out
}

// rateOnAsk brings the speed a job reports, which is that on what it holds, to what it asks.
func rateOnAsk(j *policy.Job) {
	if j.Training == nil || j.Scaling == nil || len(j.On) == 0 || j.On.Count() == j.Ask.GPUs.Count {
		return
	}
	held := scaling.New(j).Speed(scaling.New(j).Held())
	if held <= 0 {
		return
	}
	t := *j.Training
	t.Rates = append([]policy.Rate(nil), t.Rates...)
	for i := range t.Rates {
		t.Rates[i].StepsPerSecond /= held
	}
	j.Training = &t
}
