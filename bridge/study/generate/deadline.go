package generate

import (
	"fairbridge/bridge/study/workload"
)

// Deadline draws Gavel's workload with deadlines: a job wants to be done after
// 0.5 to 1.5 of its run time alone from its arrival on (as ElasticFlow's
// experiments do, Gu et al., ASPLOS 2023), so that a policy must refuse some.
type Deadline struct {
	Gavel
	// Tight and Loose bound the deadline in run times alone; .5 and 1.5.
	Tight, Loose float64
	BestEffort   float64 // share of jobs without a deadline; 0
}

// Draw returns the jobs.
func (d Deadline) Draw(seed int64) []workload.Job {
	jobs := d.Gavel.Draw(seed)
	r := randomSource(seed, ofDeadlines)
	for i := range jobs {
		slack := uniform(r, orDefault(d.Tight, .5), orDefault(d.Loose, 1.5))
		if r.Float64() >= d.BestEffort {
			jobs[i].Deadline = jobs[i].Arrive + seconds(slack*jobs[i].Duration)
		}
	}
	return jobs
}
