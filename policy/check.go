package policy

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Check reports every way in which the plan is not a lawful answer to the
// snapshot, naming the jobs: a decision missing or double, ranks that are not
// 1 to n, a verb that does not fit the state, devices given twice, a gang that
// is not whole or on the wrong nodes, a kept job that moved, a job with an UnstoppableReason
// stopped, one with a HeldReason started, cores or memory that its owner does not allow or its nodes do not have, a decision without a Why unless OmitReasons. A Start without nodes
// is lawful for a job with an UnplaceableReason only; its devices are counted in the total.
// A lawful plan gives nil.
func (p *Plan) Check(s *Snapshot) error {
	c := &planChecker{Snapshot: s, deviceUse: newDeviceUse(s)}
	c.checkDecisions(p.Decisions)
	c.checkRanks(p.Decisions)
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if j := s.Job(d.Job); j != nil {
			c.checkDecision(d, j)
		}
	}
	c.errs = append(c.errs, c.deviceUse.checkOverdrawn()...)
	c.errs = append(c.errs, c.deviceUse.checkGiven(s)...)
	return errors.Join(c.errs...)
}

type planChecker struct {
	*Snapshot
	deviceUse *deviceUse
	errs      []error
}

func (c *planChecker) addErrorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// checkDecisions wants exactly one per job, in order of job.
func (c *planChecker) checkDecisions(all []Decision) {
	for i := range all {
		d := &all[i]
		if c.Job(d.Job) == nil {
			c.addErrorf("job %d: not in the snapshot", d.Job)
		}
		if i > 0 && all[i-1].Job == d.Job {
			c.addErrorf("job %d: decided twice", d.Job)
		} else if i > 0 && all[i-1].Job > d.Job {
			c.addErrorf("job %d: out of order after job %d", d.Job, all[i-1].Job)
		}
	}
	decided := make(map[JobID]bool, len(all))
	for i := range all {
		decided[all[i].Job] = true
	}
	for i := range c.Jobs {
		if id := c.Jobs[i].ID; !decided[id] {
			c.addErrorf("job %d: no decision", id)
		}
	}
}

// checkRanks wants every rank from 1 to n once.
func (c *planChecker) checkRanks(all []Decision) {
	byRank := make([]*Decision, len(all))
	for i := range all {
		byRank[i] = &all[i]
	}
	slices.SortStableFunc(byRank, func(a, b *Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	for i, d := range byRank {
		switch {
		case i > 0 && byRank[i-1].Rank == d.Rank:
			c.addErrorf("job %d: rank %d is job %d's too", d.Job, d.Rank, byRank[i-1].Job)
		case d.Rank < 1 || d.Rank > len(all):
			c.addErrorf("job %d: rank %d is not within 1 to %d", d.Job, d.Rank, len(all))
		}
	}
}

func (c *planChecker) checkDecision(d *Decision, j *Job) {
	if d.Why == "" && !c.OmitReasons {
		c.addErrorf("job %d: %s without a reason", j.ID, d.Verb)
	}
	if d.StoppedFor != 0 && (c.Job(d.StoppedFor) == nil || d.StoppedFor == j.ID) {
		c.addErrorf("job %d: makes room for job %d, which is not another job here", j.ID, d.StoppedFor)
	}
	if d.EndsEarly && (j.EarlyEnd == nil || d.Verb != Keep) {
		c.addErrorf("job %d: may end early, but it does not run on or its owner did not declare what is enough", j.ID)
	}
	if j.HoldsGPUs() {
		c.checkActive(d, j)
	} else {
		c.checkPending(d, j)
	}
	c.checkAmounts(d, j)
	c.deviceUse.addDecision(d, j)
}

func (c *planChecker) checkPending(d *Decision, j *Job) {
	switch d.Verb {
	case Wait, Hold:
		if len(d.On) > 0 {
			c.addErrorf("job %d: has nodes but the verb is %s", j.ID, d.Verb)
		}
	case Start:
		c.checkStart(d, j)
	default:
		c.addErrorf("job %d: is %s, so it cannot %s", j.ID, j.State, d.Verb)
	}
}

func (c *planChecker) checkStart(d *Decision, j *Job) {
	if !j.CanStart(c.Now) {
		c.addErrorf("job %d: started, but may not: held %q, stuck %q, eligible %v", j.ID, j.HeldReason, j.StuckReason, j.EligibleAt)
	}
	if j.UnplaceableReason == "" || len(d.On) > 0 {
		c.checkGang(d, j)
	}
	c.checkCount(d, j)
}

func (c *planChecker) checkActive(d *Decision, j *Job) {
	switch d.Verb {
	case Keep:
		if !d.On.Equal(j.On) {
			c.addErrorf("job %d: kept, but on %v instead of %v", j.ID, d.On, j.On)
		}
		return
	case Stop, Move, Resize:
	default:
		c.addErrorf("job %d: is %s, so it cannot %s", j.ID, j.State, d.Verb)
		return
	}
	if j.UnstoppableReason != "" {
		c.addErrorf("job %d: %s, but must not be stopped: %s", j.ID, d.Verb, j.UnstoppableReason)
	}
	if j.State != Running {
		c.addErrorf("job %d: %s, but it is %s", j.ID, d.Verb, j.State)
	}
	if d.Verb != Stop {
		c.checkGang(d, j)
		c.checkCount(d, j)
	}
	if d.Verb == Move && d.On.Equal(j.On) && d.Given == j.Given {
		c.addErrorf("job %d: moved to where it is", j.ID)
	}
}

// checkCount wants the devices the job asked, or a count in its elastic range; of one that
// only moves those it has.
func (c *planChecker) checkCount(d *Decision, j *Job) {
	low, high := j.Ask.GPUs.Count, j.Ask.GPUs.Count
	switch has := j.On.Count(); {
	case d.Verb == Move && has > 0:
		low, high = has, has
	case j.MaxGPUs > 0:
		low, high = min(low, max(j.MinGPUs, 1)), max(high, j.MaxGPUs)
	}
	if d.GPUs < low || d.GPUs > high {
		c.addErrorf("job %d: %s on %d GPUs, wanted %d to %d", j.ID, d.Verb, d.GPUs, low, high)
	}
}

// checkGang wants a placement that is whole, of the right type and on nodes the job
// may use.
func (c *planChecker) checkGang(d *Decision, j *Job) {
	if d.On.Count() != d.GPUs {
		c.addErrorf("job %d: %d GPUs decided, but %d placed on %v", j.ID, d.GPUs, d.On.Count(), d.On)
	}
	if !slices.IsSortedFunc(d.On, Slot.Compare) {
		c.addErrorf("job %d: placement %v is not sorted by node, then type", j.ID, d.On)
	}
	for _, s := range d.On {
		c.checkSlot(s, j)
	}
	c.checkTypes(d, j)
	c.checkNodeCounts(d, j)
	for _, name := range j.Ask.RequiredNodes {
		if d.On.CountOn(name) == 0 {
			c.addErrorf("job %d: nothing on required node %s", j.ID, name)
		}
	}
}

func (c *planChecker) checkSlot(s Slot, j *Job) {
	n := c.Node(s.Node)
	if n == nil {
		c.addErrorf("job %d: node %s is not in the snapshot", j.ID, s.Node)
		return
	}
	if s.Count <= 0 {
		c.addErrorf("job %d: %d devices on node %s", j.ID, s.Count, s.Node)
	}
	i := slices.IndexFunc(n.GPUs, func(d NodeDevices) bool { return d.Type == s.Type })
	if want := j.Ask.GPUs.Type; i < 0 || !j.AcceptsType(s.Type) || want == "" && !n.GPUs[i].IsWholeGPU() {
		c.addErrorf("job %d: asks for %v, placed on %s of node %s", j.ID, j.Ask.GPUs, s.Type, s.Node)
	}
	c.checkNode(n, j)
}

// checkTypes wants GPUs of one type for a job that asks for a type, and shares of a batch only for
// one whose owner accepts several types, as many as there are types and 1 in all.
func (c *planChecker) checkTypes(d *Decision, j *Job) {
	if d.On.HasSeveralTypes() && j.Ask.GPUs.Type != "" && !j.AcceptsMixedTypes {
		c.addErrorf("job %d: asks for %v, placed on several types: %v", j.ID, j.Ask.GPUs, d.On)
	}
	if len(d.BatchShares) == 0 {
		return
	}
	sum := 0.0
	for _, s := range d.On {
		share := d.BatchShares.ShareOf(s.Type)
		if !(share > 0) {
			c.addErrorf("job %d: its %s have no share of the batch: %v", j.ID, s.Type, d.BatchShares)
		}
		sum += share * float64(s.Count)
	}
	if !j.AcceptsMixedTypes || math.Abs(sum-1) > 1e-6 {
		c.addErrorf("job %d: shares of a batch that make %g, and of which its owner must accept several types: %v", j.ID, sum, d.BatchShares)
	}
}

func (c *planChecker) checkNode(n *Node, j *Job) {
	if n.DownReason != "" {
		c.addErrorf("job %d: node %s is down: %s", j.ID, n.Name, n.DownReason)
	}
	if w, _, _ := n.WindowDuring(c.Now, j.Limit); w != nil {
		c.addErrorf("job %d: with its limit of %v it reaches into %v on node %s at %v", j.ID, j.Limit, w, n.Name, w.From)
	}
	if !n.InPartition(j.Partition) {
		c.addErrorf("job %d: node %s is not in partition %s", j.ID, n.Name, j.Partition)
	}
	if slices.Contains(j.Ask.ExcludedNodes, n.Name) {
		c.addErrorf("job %d: node %s is excluded by its owner", j.ID, n.Name)
	}
	for _, f := range j.Ask.Features {
		if !slices.Contains(n.Features, f) {
			c.addErrorf("job %d: node %s lacks feature %s", j.ID, n.Name, f)
		}
	}
}

// checkNodeCounts wants as many nodes, and as much on each, as the gang asks. A job
// resized within its range keeps PerNode only while it divides the count.
func (c *planChecker) checkNodeCounts(d *Decision, j *Job) {
	a := j.Ask.Resized(d.GPUs)
	nodes := d.On.Nodes()
	if len(nodes) < a.MinNodes || a.MaxNodes > 0 && len(nodes) > a.MaxNodes {
		c.addErrorf("job %d: on %d nodes, wanted %d to %d", j.ID, len(nodes), a.MinNodes, a.MaxNodes)
	}
	for _, name := range nodes {
		if got := d.On.CountOn(name); a.PerNode > 0 && got != a.PerNode {
			c.addErrorf("job %d: %d GPUs on node %s, wanted %d on each", j.ID, got, name, a.PerNode)
		}
	}
}
