package gate

import (
	"time"

	"fairbridge/bridge/invariant"
)

// staleOrBlind says why nothing may be sent at all on what is known (I13,
// I14). The first reason will do: each is enough.
func (s *State) staleOrBlind() *denial {
	v, c := s.View, &s.Config
	old := time.Duration(c.SnapshotAge * float64(s.Interval))
	switch {
	case v == nil || s.Snapshot == nil:
		return deny(invariant.FreshView, "there is no view of Slurm")
	case v.At.IsZero() || s.Taken.IsZero():
		return deny(invariant.FreshView, "the view has no time")
	case s.Now.Before(s.Taken):
		return deny(invariant.FreshView, "our clock went back %v", s.Taken.Sub(s.Now))
	case s.Now.Sub(s.Taken) > old:
		return deny(invariant.FreshView, "the view is %v old, the most is %v", s.Now.Sub(s.Taken).Round(time.Millisecond), old)
	case v.At.Before(s.Snapshot.Now):
		return deny(invariant.FreshView, "the view is older than the snapshot")
	case v.At.Sub(s.Snapshot.Now) > old+c.Skew:
		return deny(invariant.FreshView, "the snapshot is %v old", v.At.Sub(s.Snapshot.Now))
	}
	return nil
}

// unled says why leadership is not enough (I14).
func (s *State) unled() *denial {
	if need := s.Config.SendTime + 2*time.Second; s.Leadership < need {
		return deny(invariant.Leading, "leadership lasts %v, sending needs %v", s.Leadership.Round(time.Millisecond), need)
	}
	return nil
}
