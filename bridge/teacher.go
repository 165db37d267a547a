package bridge

import (
	"time"

	"fairbridge/policy"
)

// Teacher is from whom a partition's policy learnt: the same policy with other parameters.
type Teacher struct {
	Params         string // printed parameters, for the record
	DecidingPolicy policy.Policy
}

// TeacherGuardName is who demotes a policy that does worse than its teacher.
const TeacherGuardName = "the guard of what is learnt"

// isOfLearner reports whether a policy that learnt is demoted, and not the candidate of a canary.
func (d *Demotion) isOfLearner() bool { return d.By == TeacherGuardName && d.Candidate != "" }

// FindLearnerDemotion returns that by which the teacher of a partition's policy decides; nil: it
// has none, or does not. It is of the policy with those parameters: other ones begin anew.
func FindLearnerDemotion(list []Demotion, p *Partition) *Demotion {
	if p.Teacher == nil {
		return nil
	}
	for i := range list {
		if d := &list[i]; d.Partition == p.Name && d.isOfLearner() && d.Candidate == FormatDecider(p.Policy, p.Params) {
			return d
		}
	}
	return nil
}

// DecidedUnder returns the partition as it is decided about at a moment with the demotions there are: by
// its own policy, its teacher where that is demoted, or its canary's, unless that is; and in the mode that
// is left to it.
func (p *Partition) DecidedUnder(demotions []Demotion, at time.Time) Partition {
	decided := *p
	if FindLearnerDemotion(demotions, p) != nil {
		decided.Params, decided.DecidingPolicy = p.Teacher.Params, p.Teacher.DecidingPolicy
	}
	if FindCandidateDemotion(demotions, p) == nil {
		decided = decided.DecidedAt(at)
	}
	if d := FindDemotion(demotions, p.Name); d != nil {
		decided = d.Demote(decided)
	}
	return decided
}
