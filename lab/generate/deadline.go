package generate

import (
	"fairbridge/replica/workload"
)

// DeadlineDrawer draws Gavel's workload with deadlines: a job wants to be done after
// 0.5 to 1.5 of its run time alone from its arrival on (as ElasticFlow's
// experiments do, Gu et al., ASPLOS 2023), so that a policy must refuse some.
type DeadlineDrawer struct {
	GavelDrawer
	BestEffortShare float64 // share of jobs without a deadline; 0
}

// DrawJobs returns the jobs.
func (d DeadlineDrawer) DrawJobs(seed int64) []workload.Job {
	jobs := d.GavelDrawer.DrawJobs(seed)
	r := newRandom(seed, deadlineRandomStream)
	for i := range jobs {
		slack := drawUniform(r, .5, 1.5)
		if r.Float64() >= d.BestEffortShare {
			jobs[i].Deadline = jobs[i].Arrive + roundUpSeconds(slack*jobs[i].Duration)
		}
	}
	return jobs
}
