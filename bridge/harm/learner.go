package harm

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
)

// teacherPercent is how much longer than by its teacher jobs may take, in the mean, by a policy that
// learnt, before its teacher decides in its place.
const teacherPercent = 10

// LearnerWindow is how far back a check against the teacher looks.
const LearnerWindow = 24 * time.Hour

// IsOfLearner reports whether the check is of a policy against its teacher, not of a partition against
// Slurm alone.
func (c *Check) IsOfLearner() bool {
	return slices.ContainsFunc(c.Figures, func(f Figure) bool { return f.Kind == Completion })
}

// DecideFallback says whether the policy of the check, that learnt, is to give way to its teacher: when
// jobs take too much longer by it over the whole window, beyond doubt. Deciding as the teacher
// does harms nobody who had no such policy, so that one check is enough. learner is the policy with its parameters.
func DecideFallback(c *Check, learner string, b Bounds) (d bridge.Demotion, yes bool) {
	if !b.Demote || !c.IsOfLearner() || c.Verdict != Harm {
		return d, false
	}
	d = bridge.Demotion{Partition: c.Partition, Candidate: learner, Since: c.At, By: bridge.TeacherGuardName, Why: c.Reasons[0]}
	if b.Lasts > 0 {
		d.Until = c.At.Add(b.Lasts)
	}
	return d, true
}

// describeCompletion says how a policy that learnt compares with its teacher.
func (f *Figure) describeCompletion() string {
	return fmt.Sprintf("%s took %s in the mean by what it learnt; by its teacher it would have been %s", f.who(), seconds(f.Live), seconds(f.Alone))
}
