package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Check reports every way in which the plan is not a lawful answer to the
// snapshot, naming the jobs: a decision missing or double, ranks that are not
// 1 to n, a verb that does not fit the state, devices given twice, a gang that
// is not whole or on the wrong nodes, a kept job that moved, a Fixed job
// stopped, a Held one started, a decision without a Why unless Terse. A Start without nodes
// is lawful for an Unplaced job only; its devices are counted in the total.
// A lawful plan gives nil.
func (p *Plan) Check(s *Snapshot) error {
	c := &checker{Snapshot: s, used: newDeviceUse(s)}
	c.checkDecisions(p.Decisions)
	c.checkRanks(p.Decisions)
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if j := s.Job(d.Job); j != nil {
			c.checkDecision(d, j)
		}
	}
	c.errs = append(c.errs, c.used.overdrawn()...)
	return errors.Join(c.errs...)
}

type checker struct {
	*Snapshot
	used *deviceUse
	errs []error
}

func (c *checker) failf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// checkDecisions wants exactly one per job, in order of job.
func (c *checker) checkDecisions(all []Decision) {
	for i, d := range all {
		if c.Job(d.Job) == nil {
			c.failf("job %d: not in the snapshot", d.Job)
		}
		if i > 0 && all[i-1].Job == d.Job {
			c.failf("job %d: decided twice", d.Job)
		} else if i > 0 && all[i-1].Job > d.Job {
			c.failf("job %d: out of order after job %d", d.Job, all[i-1].Job)
		}
	}
	decided := make(map[JobID]bool, len(all))
	for _, d := range all {
		decided[d.Job] = true
	}
	for i := range c.Jobs {
		if id := c.Jobs[i].ID; !decided[id] {
			c.failf("job %d: no decision", id)
		}
	}
}

// checkRanks wants every rank from 1 to n once.
func (c *checker) checkRanks(all []Decision) {
	byRank := slices.Clone(all)
	slices.SortStableFunc(byRank, func(a, b Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	for i, d := range byRank {
		switch {
		case i > 0 && byRank[i-1].Rank == d.Rank:
			c.failf("job %d: rank %d is job %d's too", d.Job, d.Rank, byRank[i-1].Job)
		case d.Rank < 1 || d.Rank > len(all):
			c.failf("job %d: rank %d is not within 1 to %d", d.Job, d.Rank, len(all))
		}
	}
}

func (c *checker) checkDecision(d *Decision, j *Job) {
	if d.Why == "" && !c.Terse {
		c.failf("job %d: %s without a reason", j.ID, d.Verb)
	}
	if d.For != 0 && (c.Job(d.For) == nil || d.For == j.ID) {
		c.failf("job %d: makes room for job %d, which is not another job here", j.ID, d.For)
	}
	if j.Active() {
		c.checkActive(d, j)
	} else {
		c.checkPending(d, j)
	}
	c.used.add(d, j)
}

func (c *checker) checkPending(d *Decision, j *Job) {
	switch d.Verb {
	case Wait, Hold:
		if len(d.On) > 0 {
			c.failf("job %d: has nodes but the verb is %s", j.ID, d.Verb)
		}
	case Start:
		c.checkStart(d, j)
	default:
		c.failf("job %d: is %s, so it cannot %s", j.ID, j.State, d.Verb)
	}
}

func (c *checker) checkStart(d *Decision, j *Job) {
	if !j.CanStart(c.Now) {
		c.failf("job %d: started, but may not: held %q, stuck %q, eligible %v", j.ID, j.Held, j.Stuck, j.Eligible)
	}
	if j.Unplaced == "" || len(d.On) > 0 {
		c.checkGang(d, j)
	}
	c.checkCount(d, j)
}

func (c *checker) checkActive(d *Decision, j *Job) {
	switch d.Verb {
	case Keep:
		if !d.On.Equal(j.On) {
			c.failf("job %d: kept, but on %v instead of %v", j.ID, d.On, j.On)
		}
		return
	case Stop, Move, Resize:
	default:
		c.failf("job %d: is %s, so it cannot %s", j.ID, j.State, d.Verb)
		return
	}
	if j.Fixed != "" {
		c.failf("job %d: %s, but must not be stopped: %s", j.ID, d.Verb, j.Fixed)
	}
	if j.State != Running {
		c.failf("job %d: %s, but it is %s", j.ID, d.Verb, j.State)
	}
	if d.Verb != Stop {
		c.checkGang(d, j)
		c.checkCount(d, j)
	}
	if d.Verb == Move && d.On.Equal(j.On) {
		c.failf("job %d: moved to where it is", j.ID)
	}
}

// checkCount wants the devices the job asked, or a count in its elastic range.
func (c *checker) checkCount(d *Decision, j *Job) {
	low, high := j.Ask.GPUs.Count, j.Ask.GPUs.Count
	if j.MaxGPUs > 0 && d.Verb != Move {
		low, high = min(low, max(j.MinGPUs, 1)), max(high, j.MaxGPUs)
	}
	if d.GPUs < low || d.GPUs > high {
		c.failf("job %d: %s on %d GPUs, wanted %d to %d", j.ID, d.Verb, d.GPUs, low, high)
	}
}
