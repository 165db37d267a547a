package intake

import "fairbridge/policy"

// addRestartCost says what a restart costs the job, where its owner does not: as measured on
// restarts of ours, and else, of a job whose size may be changed, as is assumed. All that weighs a
// restart, policies and gate alike, reads it there.
func (k *Input) addRestartCost(out *policy.Job) {
	if out.CheckpointCost > 0 {
		return
	}
	if k.Past != nil && k.Past.RestartCostOf != nil {
		if m := k.Past.RestartCostOf(out); m.Cost > 0 {
			out.CheckpointCost, out.CheckpointSource = m.Cost, m.String()
			return
		}
	}
	if out.MaxGPUs > 0 && k.Budgets != nil {
		out.CheckpointCost, out.CheckpointSource = k.Budgets.AssumedRestartCost(), "assumed: its owner does not say, and too few restarts were measured"
	}
}
