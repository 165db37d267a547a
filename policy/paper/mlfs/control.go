package mlfs

import (
	"fmt"

	"fairbridge/policy"
)

// endEarly lets running jobs end that have reached what their owners declared as enough, while the cluster is
// overloaded: some job waits that could start, or nearly all GPUs are held.
func (p *Policy) endEarly(s *policy.Snapshot, plan *policy.Plan) {
	if !p.isOverloaded(s, plan) {
		return
	}
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		j := s.Job(d.Job)
		if d.Verb != policy.Keep || j.State != policy.Running {
			continue
		}
		if why := p.reachedEnough(j); why != "" {
			d.EndsEarly = true
			if !s.OmitReasons {
				d.Why += fmt.Sprintf("; it may end now, as its owner declared: the cluster is overloaded, and %s", why)
			}
		}
	}
}

func (p *Policy) isOverloaded(s *policy.Snapshot, plan *policy.Plan) bool {
	held := 0.0
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		j := s.Job(d.Job)
		if (d.Verb == policy.Wait || d.Verb == policy.Hold) && j.CanStart(s.Now) {
			return true
		}
		held += policy.GPUs{Count: d.On.Count(), PartPercent: j.Ask.GPUs.PartPercent}.WholeGPUs()
	}
	return held > p.Overload*s.WholeGPUs()
}

// leastReports are how many losses a job must have reported for a plateau to be seen.
const leastReports = 10

// reachedEnough says what a job has reached that its owner declared as enough; "": nothing yet.
func (p *Policy) reachedEnough(j *policy.Job) string {
	if j.EarlyEnd == nil || j.Training == nil || len(j.Training.Losses) == 0 {
		return ""
	}
	losses := j.Training.Losses
	n := len(losses)
	last := losses[n-1].Loss
	switch {
	case j.EarlyEnd.EnoughLoss > 0 && last <= j.EarlyEnd.EnoughLoss:
		return fmt.Sprintf("its loss is %.3g, of which %.3g is enough", last, j.EarlyEnd.EnoughLoss)
	case j.EarlyEnd.AtPlateau && n >= leastReports && losses[0].Loss > last && partOfFall(losses, n-1-n/10) < p.Plateau:
		return fmt.Sprintf("its loss fell by less than %.2g %% of its fall in the last tenth of its steps", 100*p.Plateau)
	}
	return ""
}
