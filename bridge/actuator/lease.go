package actuator

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// A lease keeps a job from starting until a moment that comes by itself; a hard
// hold, until somebody ends it.
var (
	leaseRow = Row{
		Kind: slurm.Lease, Field: beginField, Needs: bridge.Steer, Turn: TurnLease, Repeatable: true,
		Shows: showsLease, Undo: undoLease, Wants: wantLeases, Bounds: leaseBounds,
		// A begin time that is neither the one of before nor ours is somebody's.
		Overruled: func(in *bridge.Intent, j *slurm.Job) bool { return !j.Eligible.Equal(in.Before.Eligible) },
	}
	unleaseRow = Row{
		Kind: slurm.Unlease, Field: beginField, Needs: bridge.Rank, Turn: TurnRest, Repeatable: true, Frees: true,
		Shows: func(in *bridge.Intent, j *slurm.Job) bool {
			return !j.Pending() || !j.Eligible.After(in.Edit.Until.Add(beginSlack))
		},
		Bounds: unleaseBounds,
	}
	// No plan asks for a hard hold.
	hardHoldRow = Row{
		Kind: slurm.HardHold, Field: priorityField, Needs: bridge.Steer, Turn: TurnRest,
		Shows: func(_ *bridge.Intent, j *slurm.Job) bool { return j.Held },
		Bounds: func(c *Claim) *invariant.Denial {
			if !c.Budgets.IAcceptOrphanHolds {
				return invariant.OneField.Deny("hard holds need i_accept_orphan_holds: if we die they stay")
			}
			return c.CheckLease(c.Now.Add(c.Budgets.LeaseMax))
		},
	}
)

// beginField is the begin time, in which a lease stands in place of the owner's own.
var beginField = &Field{
	Name:  slurm.FieldBegin,
	Whose: func(in *bridge.Intent, j *slurm.Job) Owner { return oursIf(j.Eligible.Equal(in.Edit.Until)) },
	Foreign: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("begin time is now %s, we had set %s", formatTime(j.Eligible), formatTime(in.Edit.Until))
	},
	GivesBack: func(e *slurm.Edit, _ *bridge.Before) bool { return e.Kind == slurm.Unlease },
	Touched: func(noted *bridge.Before, j *slurm.Job) string {
		if j.Eligible.Equal(noted.Eligible) {
			return ""
		}
		return "its begin time is " + formatTime(j.Eligible) + " now"
	},
	ChangedBySlurm: func(noted *bridge.Before, j *slurm.Job) string {
		if !noted.Eligible.IsZero() || j.Eligible.IsZero() {
			return ""
		}
		return "it has become eligible: it is planned anew"
	},
	Note: func(b *bridge.Before, in *bridge.Intent, _ int64) {
		if in != nil {
			b.Begin = in.Before.Begin
		}
	},
	Ended: func(in *bridge.Intent, j *slurm.Job, now time.Time) string {
		switch {
		case !in.NotAfter.IsZero() && !now.Before(in.NotAfter):
			return "it ran out"
		case !j.Pending():
			return "the job started"
		case j.Restarts > in.Edit.Run.Restarts:
			return "the job was requeued"
		}
		return ""
	},
}

// beginSlack is how far Slurm 22.05 may round a begin time that could only be
// given relative to its own clock. The observed value is adopted as ours.
const beginSlack = 3 * time.Second

// showsLease reports whether the job begins when the lease ends. A begin time
// within beginSlack of the wanted one is adopted.
func showsLease(in *bridge.Intent, j *slurm.Job) bool {
	e := &in.Edit
	if d := j.Eligible.Sub(e.Until); d > beginSlack || d < -beginSlack {
		return false
	}
	e.Until, in.NotAfter = j.Eligible, j.Eligible
	return true
}

// undoLease ends a lease now, or when the owner's own begin time comes.
func undoLease(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, now time.Time) bool {
	e.Kind, e.Until = slurm.Unlease, now
	if in.Before.Begin.After(now) {
		e.Until = in.Before.Begin
	}
	return j.Pending()
}

// wantLeases holds the jobs the plan holds, renews what is still wanted at half
// life, and ends the rest. Only jobs near the head are leased: one that cannot
// start needs no lease.
func wantLeases(g *Goal) []slurm.Edit {
	var edits []slurm.Edit
	left := g.Lease.Window
	for _, dec := range g.InOrder() {
		j := g.View.Job(int64(dec.Job))
		in := g.standingIntent(j, beginField)
		switch {
		case dec.Verb == policy.Hold && left > 0:
			left--
			if until, ok := g.leaseEnd(j, in); ok {
				edits = append(edits, g.editOf(j, slurm.Edit{Kind: slurm.Lease, Until: until, Why: dec.Why}))
			}
		case dec.Verb != policy.Hold && in != nil:
			edits = g.appendUndo(edits, undoLease, in, j, dec.Why)
		}
	}
	return edits
}

// leaseEnd returns when a new lease of the job ends; ok is false where none is
// called for: the one that stands lasts, or the owner's own begin is later, which
// is never shortened.
func (g *Goal) leaseEnd(j *slurm.Job, in *bridge.Intent) (until time.Time, ok bool) {
	now := g.View.At
	if in != nil && in.Edit.Until.Sub(now) > g.Lease.Length/2 {
		return until, false
	}
	until = now.Add(g.Lease.Length - jitter(j.ID, g.Snapshot.Seq, g.Lease.Length)).Truncate(time.Second)
	own := j.Eligible
	if in != nil {
		own = in.Before.Begin
	}
	return until, own.Before(until)
}

// jitter returns 1 to 59 seconds but at most a tenth of the lease, the same for
// the same job and cycle. It spreads the ends of leases and makes an accidental
// match of somebody else's begin time unlikely.
func jitter(job int64, seq uint64, length time.Duration) time.Duration {
	spread := uint64(max(1, min(59, length/10/time.Second)))
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(job))
	binary.LittleEndian.PutUint64(b[8:], seq)
	h.Write(b[:])
	return time.Duration(1+h.Sum64()%spread) * time.Second
}
