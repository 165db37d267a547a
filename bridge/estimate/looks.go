package estimate

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
)

// lookInterval is how far apart the looks at a job are that are kept and scored: at the first cycle
// of each hour, after the one at its first cycle. Of an array whose tasks start the last one is renewed.
const lookInterval = time.Hour

// LookTimes remembers when the waiting jobs of a partition were last looked at. The zero value
// remembers nothing.
type LookTimes struct {
	lastByJob map[policy.JobID]look
}

// look is when a job was looked at, and for how many tasks it stood.
type look struct {
	at    time.Time
	tasks int
}

// DueLook says which look at a job is due.
type DueLook int

// The looks.
const (
	FirstLook  DueLook = iota // nobody looked at it before
	HourlyLook                // the last one is of an earlier hour
	// RenewedLook is one in the place of the last, which is of the same hour: tasks of the array started
	// meanwhile, and that one was about them.
	RenewedLook
)

// TakeDue returns the jobs of a snapshot whose estimate is to be kept, and remembers that they were
// looked at: those that wait, that nothing keeps, and that never ran before.
func (t *LookTimes) TakeDue(s *policy.Snapshot) map[policy.JobID]DueLook {
	due := map[policy.JobID]DueLook{}
	next := map[policy.JobID]look{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.State != policy.Pending || j.HeldReason != "" || !j.FirstStart.IsZero() {
			continue
		}
		last, seen := t.lastByJob[j.ID]
		now := look{s.Now, j.TaskCount()}
		switch {
		case !seen:
			due[j.ID], last = FirstLook, now
		case s.Now.Truncate(lookInterval).After(last.at):
			due[j.ID], last = HourlyLook, now
		case now.tasks != last.tasks:
			due[j.ID], last = RenewedLook, now
		}
		next[j.ID] = last
	}
	t.lastByJob = next
	return due
}

// LineOfPlan returns the jobs of a plan by rank.
func LineOfPlan(p *policy.Plan) []policy.JobID {
	decisions := slices.Clone(p.Decisions)
	slices.SortFunc(decisions, func(a, b policy.Decision) int { return cmp.Compare(a.Rank, b.Rank) })
	line := make([]policy.JobID, len(decisions))
	for i := range decisions {
		line[i] = decisions[i].Job
	}
	return line
}

// SizesOfPlan returns what a plan starts jobs on that are not to get what they ask for.
func SizesOfPlan(s *policy.Snapshot, p *policy.Plan) map[policy.JobID]policy.GPUs {
	sizes := map[policy.JobID]policy.GPUs{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		j := s.Job(d.Job)
		if d.Verb != policy.Start || len(d.On) != 1 || j == nil || j.State != policy.Pending || j.TaskCount() > 1 {
			continue
		}
		asked := j.Ask.GPUs
		given := policy.GPUs{Type: asked.Type, Count: d.On.Count(), PartPercent: asked.PartPercent}
		if asked.Type != "" {
			given.Type = d.On.FirstType()
		}
		if given != asked {
			sizes[d.Job] = given
		}
	}
	return sizes
}
