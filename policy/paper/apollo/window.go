package apollo

import (
	"slices"

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
