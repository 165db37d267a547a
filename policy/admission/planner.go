package admission

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/leases"
)

// Settings say how a policy promises.
type Settings struct {
	Lease  time.Duration // length of a lease, in whole numbers of which plans are made
	Every  int           // after how many leases IsNew is set; 0: after each
	Margin float64       // part by which the time left of a job is stretched of which no standard error is known
	Sigmas float64       // standard errors that are added to the time left where they are known
	Delay  time.Duration // that may pass until a start that is due is decided and carried out
	// Reserve is the part of the devices that a promise to a large job must leave to smaller ones: all of it to a job that takes as much
	// device time as there is in an hour or more, and in proportion less to others.
	Reserve float64
	Rules   engine.Rules // by which running jobs may be stopped
	// Levels are the sizes to try for a job, the smallest first; nil: what it asks or holds alone.
	Levels func(*engine.Entry) []int
}

// tries bounds how often gangs are packed in one decision, all sets together.
const tries = 20_000

// Planner is one decision under way.
type Planner struct {
	Settings
	Round    *engine.Round
	Kinds    []Kind
	Promised []*Job // by deadline, then arrival
	Declined []*Job // with a deadline that is not promised, by arrival
	IsNew    bool   // Every leases are over since it was set in a decision before

	number  int64   // of the present lease since 1970
	elapsed float64 // part of the present lease
	budget  int
}

// Kind is the devices of one type.
type Kind struct {
	GPUType string
	IsSlice bool
	Count   int
	All     leases.Free // that may be planned with
	Left    leases.Free // of them, what plans and those who were given some leave
}

// New counts the devices and lists the jobs, and keeps the promises of before.
func New(r *engine.Round, s Settings, before Promises) *Planner {
	p := &Planner{Settings: s, Round: r, budget: tries}
	nanos := r.Now.UnixNano()
	p.number = nanos / int64(s.Lease)
	p.elapsed = float64(nanos-p.number*int64(s.Lease)) / float64(s.Lease)
	every := int64(max(s.Every, 1))
	p.IsNew = before.Lease/every != p.number/every || before.Length != s.Lease.Seconds()
	if before.Length != s.Lease.Seconds() {
		before.Jobs = nil
	}
	p.countKinds()
	known, others := p.listJobs(before)
	p.keep(known)
	p.admit(others)
	slices.SortFunc(p.Promised, compareDeadlines)
	return p
}

// inLeases is a time from now, as leases since the present one began.
func (p *Planner) inLeases(fromNow time.Duration) float64 {
	return p.elapsed + fromNow.Seconds()/p.Lease.Seconds()
}

// TimeOf is when a number of leases since the present one began will have passed.
func (p *Planner) TimeOf(at float64) time.Time {
	const most = 1e6 // leases, beyond which no time is told
	return p.Round.Now.Add(time.Duration((min(at, most) - p.elapsed) * float64(p.Lease)))
}

// countKinds counts what there is of each type: what is free or may be taken now, and what comes back from jobs that may not
// be stopped now, once they may or are thought to have ended.
func (p *Planner) countKinds() {
	for _, c := range p.Round.ListCapacities(nil) {
		p.Kinds = append(p.Kinds, Kind{GPUType: c.GPUType, IsSlice: c.IsSlice, Count: c.Healthy, All: leases.NewFree(c.Grantable())})
	}
	for _, e := range p.Round.RunningEntries() {
		from := p.freeFrom(e)
		for _, slot := range e.On {
			for k := range p.Kinds {
				if p.Kinds[k].GPUType == slot.Type && from > 0 {
					p.Kinds[k].All.AddFrom(from, slot.Count)
				}
			}
		}
	}
	for k := range p.Kinds {
		p.Kinds[k].All.Cap(max(p.Kinds[k].Count, p.Kinds[k].All.At(0)))
		p.Kinds[k].Left = slices.Clone(p.Kinds[k].All)
	}
}

// freeFrom is the lease from which others may have what a running job holds that may not be stopped now; 0: it may be
// stopped, or it is not known when it ends.
func (p *Planner) freeFrom(e *engine.Entry) int {
	var left time.Duration
	switch {
	case !e.IsUnstoppable:
		return 0
	case p.Rules.IsEverStoppable(e.Job):
		left = p.Rules.LeastRun(e.Job) - e.Ran(p.Round.Now)
	case e.Estimate().TimeLeft > 0:
		left = p.runTime(e, e.DeviceCount())
	default:
		return 0
	}
	return int(math.Ceil(min(p.inLeases(max(left, time.Second)), mostLeases)))
}

// mostLeases is how far plans reach.
const mostLeases = 1 << 20

// runTime is how long the rest of a job takes on so many devices, with what may be wrong about it; 0: not known.
func (p *Planner) runTime(e *engine.Entry, devices int) time.Duration {
	left, speed := e.Estimate().TimeLeft.Seconds(), sizing.Speed(e, devices)
	if sigma := e.Estimate().TimeLeftSigma.Seconds(); sigma > 0 {
		left += p.Sigmas * sigma
	} else {
		left *= 1 + p.Margin
	}
	if !(speed > 0) {
		return 0
	}
	return policy.DurationFromSeconds(left / speed)
}

// KindOf is the kind a job is planned on: of the type it holds or asks, else of the whole GPUs of which there are most; -1: none.
func (p *Planner) KindOf(e *engine.Entry) int {
	typ, best := sizing.TypeOf(e), -1
	for k, x := range p.Kinds {
		switch {
		case typ != "" && x.GPUType == typ:
			return k
		case typ == "" && !x.IsSlice && (best < 0 || x.Count > p.Kinds[best].Count):
			best = k
		}
	}
	return best
}

// FormatTime writes a time for owners.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }

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

// PromisedEntries are the jobs that were promised their deadlines, by deadline.
func (p *Planner) PromisedEntries() []*engine.Entry {
	all := make([]*engine.Entry, len(p.Promised))
	for i, j := range p.Promised {
		all[i] = j.Entry
	}
	return all
}

// PromisedPart is how much of the device time until some deadline is promised at most, 0 to 1: where it is near 1, hardly any other
// can be promised its own.
func (p *Planner) PromisedPart() float64 {
	most := 0.0
	for k := range p.Kinds {
		promised, at := 0.0, 0.0
		for _, j := range p.Promised {
			if j.Kind != k {
				continue
			}
			promised += float64(j.Devices) * leases.RunTime(j.Spans, p.elapsed, j.demand.Deadline)
			if at = j.demand.Deadline; at > p.elapsed {
				most = max(most, promised/max(p.Kinds[k].All.Until(p.elapsed, at), 1))
			}
		}
	}
	return min(most, 1)
}
