package scaling

import "fairbridge/policy"

// RecommendBatches notes in a plan which batch size is best for each job that adapts its own, where it
// runs or will.
func RecommendBatches(s *policy.Snapshot, plan *policy.Plan) {
	jobs := map[policy.JobID]*policy.Job{}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Scaling != nil && j.Scaling.Batch != nil && len(j.Scaling.StepTimes) > 0 {
			jobs[j.ID] = j
		}
	}
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if j := jobs[d.Job]; j != nil && len(d.On) > 0 {
			b, _ := New(j).BestBatch(Size{d.On.FirstType(), d.On.Count(), len(d.On.Nodes())})
			d.BatchSize, d.AccumulationSteps = b.Global, b.AccumulationSteps
		}
	}
}
