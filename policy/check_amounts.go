package policy

import (
	"cmp"
	"fmt"
)

// checkAmounts wants cores and memory other than asked only for a job that is placed and of which it is
// known what they make of its speed, and less than asked only as its owner allows.
func (c *planChecker) checkAmounts(d *Decision, j *Job) {
	g := d.Given
	if g == (Amounts{}) {
		return
	}
	ask := j.Ask.Resized(d.GPUs)
	switch {
	case d.Verb != Start && d.Verb != Move && d.Verb != Resize || len(d.On) == 0:
		c.addErrorf("job %d: given %v, but it is not placed", j.ID, g)
	case j.CPUScaling == nil || d.GPUs <= 0:
		c.addErrorf("job %d: given %v, but it is not known what they make of its speed", j.ID, g)
	case g.CPUs < 0 || g.MemMB < 0 || g.CPUs > 0 && ask.CPUs == 0 || g.MemMB > 0 && ask.MemMB == 0:
		c.addErrorf("job %d: given %v, it asks for %v", j.ID, g, ask.Amounts())
	case !ask.Amounts().Fits(ask.WithAmounts(g).Amounts()):
		c.checkLess(d, j, ask.WithAmounts(g).Amounts())
	}
}

// checkLess wants that a job that gets less than it asks has an owner who accepts it, and is no slower
// than with its share by GPUs.
func (c *planChecker) checkLess(d *Decision, j *Job, given Amounts) {
	var share Amounts
	for _, s := range d.On {
		if n := c.Node(s.Node); n != nil {
			part := n.ShareByGPUs(s.Count)
			share.CPUs, share.MemMB = share.CPUs+part.CPUs, share.MemMB+part.MemMB
		}
	}
	switch known := j.CPUScaling; {
	case !known.AcceptsLess:
		c.addErrorf("job %d: given %v, and its owner accepts no less than %v", j.ID, given, j.Ask.Amounts())
	case !known.IsNoSlower(d.GPUs, given, share):
		c.addErrorf("job %d: given %v, slower than with its share by GPUs, %v", j.ID, given, share)
	}
}

// checkGiven names the nodes whose cores or memory the plan gives out twice, where it gives jobs other
// amounts than they ask. Elsewhere they are what the jobs ask, and Slurm sees to it.
func (u *deviceUse) checkGiven(s *Snapshot) []error {
	var errs []error
	for i := range s.Nodes {
		n := &s.Nodes[i]
		taken, given := u.amountsOn[n.Name], u.givenOn[n.Name]
		if given != 0 && !taken.Fits(Amounts{n.CPUs, n.MemMB}) {
			errs = append(errs, fmt.Errorf("job %d: node %s has %v for its jobs, %v are given out", given, n.Name, Amounts{n.CPUs, n.MemMB}, taken))
		}
	}
	return errs
}

// addAmounts counts the cores and the memory of a job that runs by the plan.
func (u *deviceUse) addAmounts(d *Decision, j *Job) {
	has := j.HeldAmounts()
	if d.Verb != Keep {
		has = j.Ask.Resized(d.GPUs).WithAmounts(d.Given).Amounts()
	}
	all := d.On.Count()
	for i, s := range d.On {
		if i > 0 && d.On[i-1].Node == s.Node {
			continue
		}
		here, was := d.On.CountBeside(i), u.amountsOn[s.Node]
		u.amountsOn[s.Node] = Amounts{was.CPUs + PortionForNode(has.CPUs, here, all), was.MemMB + PortionForNode(has.MemMB, here, all)}
		if d.Given != (Amounts{}) {
			u.givenOn[s.Node] = cmp.Or(u.givenOn[s.Node], d.Job)
		}
	}
}
