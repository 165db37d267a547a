package apollo

import (
	"slices"
	"time"

	"fairbridge/policy/engine"
)

// candidate is a job of a window that has no place yet.
type candidate struct {
	*engine.Entry
	options []option
	planned int  // index of the option that it was planned for; -1: none
	kept    plan // if it was
}

// planWindow plans jobs one after the other, the one first that would lose most by its second choice. Each takes what it
// is planned for from those after it.
func (a *planner) planWindow(r *engine.Round, line []*candidate) {
	left := slices.Clone(line)
	for _, c := range left {
		if c.options == nil {
			c.options = a.listOptions(r, c.Entry)
		}
		for i := range c.options {
			a.setWait(r, c, i)
		}
	}
	for len(left) > 0 {
		next, choice := a.chooseNext(r, left)
		if next < 0 {
			return
		}
		c := left[next]
		a.commit(r, c, choice)
		left = slices.Delete(left, next, next+1)
		for _, o := range left {
			for i := range o.options {
				if o.options[i].gpuType == c.options[choice].gpuType {
					a.setWait(r, o, i)
				}
			}
		}
	}
}

// newCandidate looks up the plan of a job. The options of one without a plan are listed when its turn comes.
func (a *planner) newCandidate(r *engine.Round, e *engine.Entry) *candidate {
	c := &candidate{Entry: e, planned: -1}
	if i, found := slices.BinarySearch(a.before.Jobs, e.ID); found {
		c.kept, c.options = a.before.Plans[i], a.listOptions(r, e)
		c.planned = slices.IndexFunc(c.options, func(o option) bool { return o.gpuType == c.kept.GPUType })
	}
	return c
}

func (a *planner) setWait(r *engine.Round, c *candidate, i int) {
	o := &c.options[i]
	o.wait, o.isKnown = a.waits.Wait(r, c.Partition, c.AskWithLimit(), o.gpuType, o.run)
}

// chooseNext returns which job is planned next, and for which of its options; -1: none has one.
func (a *planner) chooseNext(r *engine.Round, left []*candidate) (next, choice int) {
	next = -1
	most := -1.
	for i, c := range left {
		option, regret := best(c.options, a.Failure)
		if option < 0 {
			continue
		}
		if regret > most {
			next, choice, most = i, option, regret
		}
	}
	if next >= 0 {
		choice = a.keepOrCorrect(r, left[next], choice)
	}
	return next, choice
}

// keepOrCorrect returns the option that the job was planned for, unless that has slipped: another completes it sooner by
// much, and the plan has stood for a while.
func (a *planner) keepOrCorrect(r *engine.Round, c *candidate, better int) int {
	if c.planned < 0 || !c.options[c.planned].isKnown {
		return better
	}
	was, is := c.options[c.planned].cost(a.Failure), c.options[better].cost(a.Failure)
	if r.Now.Sub(c.kept.Made) >= a.Again && was-is > max(a.Slip.Seconds(), a.SlipPart*was) {
		return better
	}
	return c.planned
}

// commit plans the job.
func (a *planner) commit(r *engine.Round, c *candidate, choice int) {
	o := c.options[choice]
	if choice != c.planned {
		c.kept = plan{o.gpuType, r.Now, r.Now.Add(o.wait)}
	}
	a.waits.Plan(o.gpuType, c.Ask.GPUs.Count, o.wait, o.run)
	a.given[c.Index] = givenPlan{o, true, c.kept}
}

// option is a GPU type on which a job may run.
type option struct {
	gpuType string
	success float64       // probability that it does not fail there
	run     time.Duration // how long it runs there
	wait    time.Duration // until it starts there; see isKnown
	isKnown bool          // that it starts there
}

// cost is the expected time until the job completes there, in seconds. One that fails has lost
// failure times as much.
func (o *option) cost(failure float64) float64 {
	e := (o.wait + o.run).Seconds()
	return o.success*e + failure*(1-o.success)*e
}

// listOptions returns the types on which a job could run, if no other job did.
func (a *planner) listOptions(r *engine.Round, e *engine.Entry) []option {
	grant, want := e.Grant, e.WantedDeviceCount
	defer func() { e.Grant, e.WantedDeviceCount = grant, want }()
	e.WantedDeviceCount = e.Ask.GPUs.Count
	var all []option
	for _, t := range a.gpuTypes {
		e.Grant = engine.Grant{HasLease: true, GPUType: t}
		isAccepted := e.AcceptsType(t) && (e.Ask.GPUs.Type == t || slices.Contains(r.FreePool.WholeGPUTypes(), t))
		if isAccepted && r.CheckEverFits(e) == nil {
			all = append(all, option{gpuType: t, success: a.healthyPart[t]})
		}
	}
	lengths := a.runTimes(r, e, all)
	for i := range all {
		all[i].run = lengths[i]
	}
	return all
}

// runTimes returns how long a job runs on each of the types: by its reported speed there, or by what is
// predicted of it, which is taken for the type of middle speed where speeds are known.
func (a *planner) runTimes(r *engine.Round, e *engine.Entry, types []option) []time.Duration {
	left := e.Estimate().TimeLeft
	if left <= 0 {
		left = a.meanLength
	}
	out, slowness, sum := make([]time.Duration, len(types)), make([]float64, len(types)), 0.
	for i := range types {
		speed, ok := r.SpeedFor(e.Job, types[i].gpuType)
		if !ok || speed <= 0 {
			slowness, sum = nil, 0
			break
		}
		slowness[i] = 1 / speed
		sum += slowness[i]
	}
	for i := range types {
		out[i] = max(left, time.Second)
		if slowness != nil {
			out[i] = max(time.Duration(float64(left)*slowness[i]*float64(len(types))/sum), time.Second)
		}
		if e.Training == nil {
			continue
		}
		if byReport, ok := e.Training.TimeLeft(types[i].gpuType); ok {
			out[i] = max(byReport, time.Second)
		}
	}
	return out
}

// best returns the index of the option with the least cost, and how much dearer the next one is; -1: none has a
// known wait. One that has no other choice loses the most.
func best(options []option, failure float64) (index int, regret float64) {
	index, least, next := -1, 0., -1.
	for i := range options {
		if !options[i].isKnown {
			continue
		}
		switch c := options[i].cost(failure); {
		case index < 0:
			index, least = i, c
		case c < least:
			index, least, next = i, c, least
		case next < 0 || c < next:
			next = c
		}
	}
	if next < 0 {
		return index, farWorse
	}
	return index, next - least
}

// farWorse is the loss of a job that has no second choice, in seconds: a year.
const farWorse = 365 * 24 * 3600
