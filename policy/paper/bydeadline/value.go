package bydeadline

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// worth is what a job is worth by when it is done, in values of a deadline of middle worth, never rising: step if it is done
// by a time, falling to nothing from there to another, and a slope from now on. Times are seconds from now.
type worth struct {
	step     float64 // 0: it has no deadline
	deadline float64
	zeroAt   float64 // of a soft deadline; no later than the deadline: it is hard
	slope    float64 // lost with each second
}

// loss returns what a job that would be done at a time loses if that is later by delay: what it
// surely loses, and of what it may come to lose the less the further away that is (exponentially, by
// patience in seconds).
func (w *worth) loss(done, delay, patience float64) float64 {
	sure := w.slope * delay
	switch {
	case w.step == 0 || done > max(w.deadline, w.zeroAt):
		return sure
	case w.zeroAt > w.deadline && done > w.deadline:
		return sure + w.step*min(delay/(w.zeroAt-w.deadline), 1)
	case w.zeroAt > w.deadline:
		return sure + w.step*min(delay/(w.zeroAt-w.deadline), 1)*math.Exp(-(w.deadline-done)/patience)
	}
	return sure + w.step*math.Exp(-(w.deadline-done)/patience)
}

// newWorth returns what a job is worth; mean is that of the values that jobs of its account say.
func (p *Policy) newWorth(r *engine.Round, e *engine.Entry, mean float64) worth {
	w := worth{slope: p.BestEffort / 3600}
	if e.Deadline.IsZero() {
		return w
	}
	w.step, w.deadline = valueOf(e.Job)/mean, e.Deadline.Sub(r.Now).Seconds()
	if e.SoftDeadline {
		w.zeroAt = w.deadline + max(p.Decay*e.Deadline.Sub(e.Arrive).Seconds(), 1)
	}
	return w
}

// valueOf is what its owner says that a deadline is worth.
func valueOf(j *policy.Job) float64 {
	if j.DeadlineValue > 0 {
		return j.DeadlineValue
	}
	return 1
}

// meanValues returns the mean of the values of deadlines by account.
func meanValues(r *engine.Round) map[string]float64 {
	sum, count := map[string]float64{}, map[string]float64{}
	for _, e := range r.Entries {
		if !e.Deadline.IsZero() {
			sum[e.Account] += valueOf(e.Job)
			count[e.Account]++
		}
	}
	for account := range sum {
		sum[account] /= count[account]
	}
	return sum
}
