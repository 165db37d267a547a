package gate

import (
	"time"

	"fairbridge/bridge/invariant"
)

// checkViewUsable says why nothing may be sent at all on what is known (I13,
// I14). The first reason will do: each is enough.
func (s *CommonInput) checkViewUsable() *denial {
	v, c := s.View, &s.Budgets
	old := time.Duration(c.SnapshotAge * float64(s.CycleInterval))
	switch {
	case v == nil || s.Snapshot == nil:
		return deny(invariant.FreshView, "there is no view of Slurm")
	case v.At.IsZero() || s.PolledAt.IsZero():
		return deny(invariant.FreshView, "the view has no time")
	case s.Now.Before(s.PolledAt):
		return deny(invariant.FreshView, "our clock went back %v", s.PolledAt.Sub(s.Now))
	case s.Now.Sub(s.PolledAt) > old:
		return deny(invariant.FreshView, "the view is %v old, the most is %v", s.Now.Sub(s.PolledAt).Round(time.Millisecond), old)
	case v.At.Before(s.Snapshot.Now):
		return deny(invariant.FreshView, "the view is older than the snapshot")
	case v.At.Sub(s.Snapshot.Now) > old+c.Skew:
		return deny(invariant.FreshView, "the snapshot is %v old", v.At.Sub(s.Snapshot.Now))
	}
	return nil
}

// checkWholeList says why no job is stopped or warned by this view (I13).
func (s *CommonInput) checkWholeList() *denial {
	if _, ok := s.View.WholeList(); ok {
		return nil
	}
	return deny(invariant.FreshView, "a whole list of jobs is read first: this poll read only those whose state had changed, and Slurm may be about to make room itself")
}

// checkLeadershipLasts says why leadership is not enough (I14).
func (s *CommonInput) checkLeadershipLasts() *denial {
	if need := s.Budgets.SendTime + 2*time.Second; s.LeadershipLeft < need {
		return deny(invariant.LeadingOnly, "leadership lasts %v, sending needs %v", s.LeadershipLeft.Round(time.Millisecond), need)
	}
	return nil
}
