package admission

import (
	"fmt"
	"math"

	"fairbridge/policy"
)

// Explain notes for owners what became of their deadlines: when they run at the latest, or why nothing is promised and by when
// they could be done instead. Jobs without a deadline get no note.
func (p *Planner) Explain() {
	if p.Round.OmitReasons {
		return
	}
	for _, e := range p.Round.Entries {
		switch {
		case e.Deadline.IsZero():
		case e.HoldsGPUs() && e.IsUnstoppable && !isFixed(p.Rules, e):
			e.Note = fmt.Sprintf("it runs and is not stopped; its deadline is %s", FormatTime(e.Deadline))
		case e.Estimate().TimeLeft <= 0:
			e.Note = fmt.Sprintf("best effort: nothing is known of how long it runs, so nothing is promised for its deadline %s", FormatTime(e.Deadline))
		}
	}
	x := explainer{p}
	for _, j := range p.Promised {
		j.Note = fmt.Sprintf("promised for its deadline %s: %s", FormatTime(j.Deadline), x.describePlan(j))
	}
	for _, j := range p.Declined {
		j.Note = x.explainDeclined(j)
	}
}

// explainer words plans.
type explainer struct{ *Planner }

// describePlan says on what a job is planned and from when on at the latest.
func (p explainer) describePlan(j *Job) string {
	gpus := policy.FormatCount(j.Devices, "GPU")
	switch {
	case j.goesOn() || len(j.Spans) == 0:
		return fmt.Sprintf("it has %s for %s more, and then is done", gpus, policy.FormatDuration(p.runTime(j.Entry, j.Devices)))
	case j.RunsNow():
		return fmt.Sprintf("it needs %s for %s from now on", gpus, policy.FormatDuration(p.runTime(j.Entry, j.Devices)))
	}
	return fmt.Sprintf("%s for %s from %s on are enough; before, it runs where no other job waits for them", gpus,
		policy.FormatDuration(p.runTime(j.Entry, j.Devices)), p.TimeOf(float64(j.Spans[0].From)).UTC().Format("15:04"))
}

// explainDeclined says why nothing is promised to a job, and what could be.
func (p explainer) explainDeclined(j *Job) string {
	why := "cannot be met beside those that were promised before it"
	switch {
	case j.IsLost:
		why = "was promised and cannot be kept any more"
	case j.IsLate:
		why = fmt.Sprintf("cannot be met even if it starts at once: it has %s left by its %s",
			policy.FormatDuration(p.runTime(j.Entry, j.sizes[0])), j.Estimate().Source)
	}
	return fmt.Sprintf("best effort: its deadline %s %s%s", FormatTime(j.Deadline), why, p.offer(j))
}

// offer is by when a declined job could be done as things are planned, on what it asks and on the size on which it would be
// soonest.
func (p explainer) offer(j *Job) string {
	text, soonest, best := "", math.Inf(1), 0
	for _, devices := range j.sizes {
		if at := p.earliestEnd(j, devices); at < soonest {
			soonest, best = at, devices
		}
	}
	asked := j.DeviceCount()
	if at := p.earliestEnd(j, asked); !math.IsInf(at, 1) && at < mostLeases {
		text = fmt.Sprintf("; on %s it could be done by %s", policy.FormatCount(asked, "GPU"), FormatTime(p.TimeOf(at)))
	}
	if best > 0 && best != asked && soonest < mostLeases {
		text += fmt.Sprintf("; on %d by %s", best, FormatTime(p.TimeOf(soonest)))
	}
	return text
}

// earliestEnd is when the job would be done on so many devices in what plans leave, in leases.
func (p explainer) earliestEnd(j *Job, devices int) float64 {
	p.setDemand(j, devices, 1, p.Delay)
	return p.Kinds[j.Kind].Left.Earliest(&j.demand)
}
