package gate

import (
	"time"

	"fairbridge/bridge/slurm"
)

// staleOrBlind says why nothing may be sent at all on what is known (I13,
// I14). The first reason will do: each is enough.
func (s *State) staleOrBlind() *no {
	v, c := s.View, &s.Config
	old := time.Duration(c.SnapshotAge * float64(s.Interval))
	switch {
	case v == nil || s.Snapshot == nil:
		return deny("I13", "there is no view of Slurm")
	case v.At.IsZero() || s.Taken.IsZero():
		return deny("I13", "the view has no time")
	case apart(v.At, s.Taken) > c.Skew:
		return deny("I13", "Slurm's clock and ours are %v apart, the most is %v", apart(v.At, s.Taken).Round(time.Second), c.Skew)
	case s.Now.Before(s.Taken):
		return deny("I13", "our clock went back %v", s.Taken.Sub(s.Now))
	case s.Now.Sub(s.Taken) > old:
		return deny("I13", "the view is %v old, the most is %v", s.Now.Sub(s.Taken).Round(time.Millisecond), old)
	case v.At.Before(s.Snapshot.Now):
		return deny("I13", "the view is older than the snapshot")
	case v.At.Sub(s.Snapshot.Now) > old+c.Skew:
		return deny("I13", "the snapshot is %v old", v.At.Sub(s.Snapshot.Now))
	}
	return nil
}

// unled says why leadership is not enough (I14).
func (s *State) unled() *no {
	if need := s.Config.SendTime + 2*time.Second; s.Leadership < need {
		return deny("I14", "leadership lasts %v, sending needs %v", s.Leadership.Round(time.Millisecond), need)
	}
	return nil
}

func apart(a, b time.Time) time.Duration { return a.Sub(b).Abs() }

// suspect compares a view with the one before it: what shrank too much was
// filtered, cut or rolled back rather than finished (I13).
func suspect(now, before *slurm.View, sentinel int64, c *Config) []no {
	var out []no
	add := func(n *no) { out = append(out, *n) }
	if sentinel != 0 && now.Job(sentinel) == nil {
		add(deny("I13", "sentinel job %d is not listed: the list is filtered or cut", sentinel))
	}
	if before == nil {
		return out
	}
	if now.Cluster != before.Cluster && now.Cluster != "" && before.Cluster != "" {
		add(deny("I13", "cluster %s answers where %s did", now.Cluster, before.Cluster))
	}
	if now.At.Before(before.At) {
		add(deny("I13", "Slurm's clock went back %v", before.At.Sub(now.At)))
	}
	if !now.Started.IsZero() && !before.Started.IsZero() && !now.Started.Equal(before.Started) {
		add(deny("I13", "slurmctld restarted at %s", now.Started.UTC().Format(time.RFC3339)))
	}
	if gone, live := vanished(now, before); gone > c.VanishFloor && float64(gone)*100 > c.VanishPercent*float64(live) {
		add(deny("I13", "%d of %d jobs vanished without having ended", gone, live))
	}
	if a, b := len(now.Nodes), len(before.Nodes); float64(b-a)*100 > c.ShrinkPercent*float64(b) {
		add(deny("I13", "the node list shrank from %d to %d", b, a))
	}
	if n := rolledBack(now, before); n > 0 {
		add(deny("I13", "%d jobs were restarted fewer times than before: Slurm's state went back", n))
	}
	return out
}

// vanished counts the live jobs of before and those of them not listed now.
func vanished(now, before *slurm.View) (gone, live int) {
	for i := range before.Jobs {
		if j := &before.Jobs[i]; !j.Done() {
			live++
			if now.Job(j.ID) == nil {
				gone++
			}
		}
	}
	return gone, live
}

func rolledBack(now, before *slurm.View) int {
	n := 0
	for i := range before.Jobs {
		b := &before.Jobs[i]
		if j := now.Job(b.ID); j != nil && j.Restarts < b.Restarts && j.UserID == b.UserID && !j.Submit.After(b.Submit) {
			n++
		}
	}
	return n
}
