package window

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

// Planner is an engine.Allocator: jobs planned for this round of the window come
// first and have its leases. One is made for each decision.
type Planner struct {
	*Settings
	LastPlan *Plan // what was NextPlan in the decision before; nil: none
	NextPlan *Plan // made by Allocate
}

// Allocate implements engine.Allocator: jobs planned for the round, wide gangs
// first, then the others, which get what would idle, the longest rest first;
// jobs that cannot start come last.
func (p *Planner) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	var jobs, rest []*engine.Entry
	for _, e := range r.Entries {
		if isPlannable(r, e) {
			jobs = append(jobs, e)
		} else {
			rest = append(rest, e)
		}
	}
	p.NextPlan = p.planFor(r, jobs)
	round := p.countRounds(p.NextPlan.MadeAt, r.Now)
	line := make([]roundCandidate, len(jobs))
	for i, e := range jobs {
		line[i] = p.NextPlan.Jobs[i].newCandidate(e, round)
	}
	slices.SortFunc(line, roundCandidate.compare)
	slices.SortFunc(rest, engine.CompareArrival)
	turns := make([]engine.Assignment, 0, len(r.Entries))
	for _, c := range line {
		t := c.AssignmentWithoutLease()
		if !r.OmitReasons {
			t.Note = c.noteFor(p.RoundsPlanned)
		}
		turns = append(turns, t)
	}
	for _, e := range rest {
		turns = append(turns, e.AssignmentWithoutLease())
	}
	grantLeases(r, turns, line)
	return turns, nil
}

// grantLeases grants leases down the line, on the types that the window was planned
// for; what is left of other types goes to jobs that take any.
func grantLeases(r *engine.Round, turns []engine.Assignment, line []roundCandidate) {
	left := grant.CountGrantableDevices(r)
	for i, c := range line {
		if c.Type == "" || !grant.CompetesForLease(r, c.Entry) {
			continue
		}
		g := &turns[i].Grant
		if g.HasLease = left.TakeDevices(c.Type, turns[i].DeviceCount); g.HasLease && c.Ask.GPUs.Type == "" && knowsTypeSpeeds(c.Entry) {
			g.GPUType = c.Type
		}
	}
	for i := range turns {
		if t := &turns[i]; !t.Grant.HasLease && grant.CompetesForLease(r, t.Entry) {
			t.Grant.HasLease = left.TakeDevices(t.Entry.Ask.GPUs.Type, t.DeviceCount)
		}
	}
}

// isPlannable reports whether the window has rounds for the job.
func isPlannable(r *engine.Round, e *engine.Entry) bool {
	return r.MayRun(e) && e.UnstoppableReason == "" && e.State != policy.Suspended
}

// roundCandidate is a job in a round of the window.
type roundCandidate struct {
	*engine.Entry
	isPlanned        bool
	nextPlannedRound int // round it is next planned for, from this one; -1: none
	*JobPlan
}

func (c roundCandidate) compare(o roundCandidate) int {
	switch {
	case c.isPlanned != o.isPlanned:
		if c.isPlanned {
			return -1
		}
		return 1
	case c.isPlanned:
		return cmp.Or(cmp.Compare(o.DeviceCount(), c.DeviceCount()), cmp.Compare(c.Entry.ID, o.Entry.ID))
	}
	return cmp.Or(cmp.Compare(o.SecondsLeft, c.SecondsLeft), cmp.Compare(c.Entry.ID, o.Entry.ID))
}

func (c roundCandidate) noteFor(window int) string {
	switch {
	case c.isPlanned:
		return fmt.Sprintf("by the plan of rounds due now, with a weight of %.3g", c.Weight)
	case c.nextPlannedRound > 0:
		return fmt.Sprintf("by the plan of rounds due in %s, with a weight of %.3g", policy.FormatCount(c.nextPlannedRound, "round"), c.Weight)
	}
	return fmt.Sprintf("by the plan of rounds not due within %s, with a weight of %.3g", policy.FormatCount(window, "round"), c.Weight)
}

// knowsTypeSpeeds reports whether the job knows how fast it is on several types. One
// that does not may run on any.
func knowsTypeSpeeds(e *engine.Entry) bool { return e.Training != nil && len(e.Training.Rates) > 1 }
