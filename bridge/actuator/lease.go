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
	leaseRow = EditKindRow{
		Kind: slurm.EditLease, Field: beginTimeField, NeededMode: bridge.ModeSteer, SendPhase: PhaseLease, IsRepeatable: true,
		ShowsEffect: showsLease, Undo: undoLease, WantedEdits: wantedLeaseEdits, Check: checkLease,
		// A begin time that is neither the one of before nor ours is somebody's.
		WasOverruled: func(in *bridge.Intent, j *slurm.Job) bool { return !j.EligibleTime.Equal(in.Before.Eligible) },
	}
	unleaseRow = EditKindRow{
		Kind: slurm.EditUnlease, Field: beginTimeField, NeededMode: bridge.ModeRank, SendPhase: PhaseOther, IsRepeatable: true, LetsJobStart: true,
		ShowsEffect: func(in *bridge.Intent, j *slurm.Job) bool {
			return !j.IsPending() || !j.EligibleTime.After(in.Edit.Until.Add(beginTimeSlack))
		},
		Check: checkUnlease,
	}
	// No plan asks for a hard hold.
	hardHoldRow = EditKindRow{
		Kind: slurm.EditHardHold, Field: priorityField, NeededMode: bridge.ModeSteer, SendPhase: PhaseOther,
		ShowsEffect: func(_ *bridge.Intent, j *slurm.Job) bool { return j.IsHeld },
		Check: func(c *EditContext) *invariant.Denial {
			if !c.Budgets.IAcceptOrphanHolds {
				return invariant.OneFieldPerEdit.Deny("hard holds need i_accept_orphan_holds: if we die they stay")
			}
			return c.CheckDelay(c.Now.Add(c.Budgets.LeaseMax))
		},
	}
)

// beginTimeField is the begin time, in which a lease stands in place of the owner's own.
var beginTimeField = &FieldRow{
	Name: slurm.FieldBeginTime,
	ValueOwnerOf: func(in *bridge.Intent, j *slurm.Job) ValueOwner {
		return ownerUsIf(j.EligibleTime.Equal(in.Edit.Until))
	},
	ForeignChange: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("begin time is now %s, we had set %s", formatTime(j.EligibleTime), formatTime(in.Edit.Until))
	},
	GivesBack: func(e *slurm.Edit, _ *bridge.JobBefore) bool { return e.Kind == slurm.EditUnlease },
	ChangeSince: func(noted *bridge.JobBefore, j *slurm.Job) string {
		if j.EligibleTime.Equal(noted.Eligible) {
			return ""
		}
		return "its begin time is " + formatTime(j.EligibleTime) + " now"
	},
	SlurmChangeSince: func(noted *bridge.JobBefore, j *slurm.Job) string {
		if !noted.Eligible.IsZero() || j.EligibleTime.IsZero() {
			return ""
		}
		return "it has become eligible: it is planned anew"
	},
	FillBeforeValues: func(b *bridge.JobBefore, in *bridge.Intent, _ int64) {
		if in != nil {
			b.Begin = in.Before.Begin
		}
	},
	NoteOwnersValue: func(b *bridge.JobBefore, j *slurm.Job) { b.Eligible, b.Begin = j.EligibleTime, j.EligibleTime },
	ValueEndReason: func(in *bridge.Intent, j *slurm.Job, now time.Time) string {
		switch {
		case !j.IsPending():
			return "the job started"
		case j.Restarts > in.Edit.Run.Restarts:
			return "the job was requeued"
		case in.NotAfter.IsZero() || now.Before(in.NotAfter):
		case j.EligibleTime.Equal(in.Edit.Until), j.EligibleTime.IsZero(): // else somebody took it off before
			return "it ran out"
		}
		return ""
	},
}

// beginTimeSlack is how far Slurm 22.05 may round a begin time that could only be
// given relative to its own clock. The observed value is adopted as ours.
const beginTimeSlack = 3 * time.Second

// showsLease reports whether the job begins when the lease ends. A begin time
// within beginTimeSlack of the wanted one is adopted.
func showsLease(in *bridge.Intent, j *slurm.Job) bool {
	e := &in.Edit
	if d := j.EligibleTime.Sub(e.Until); d > beginTimeSlack || d < -beginTimeSlack {
		return false
	}
	e.Until, in.NotAfter = j.EligibleTime, j.EligibleTime
	return true
}

// undoLease ends a lease now, or when the owner's own begin time comes.
func undoLease(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, now time.Time) bool {
	e.Kind, e.Until = slurm.EditUnlease, now
	if in.Before.Begin.After(now) {
		e.Until = in.Before.Begin
	}
	return j.IsPending()
}

// wantedLeaseEdits holds the jobs the plan holds, renews what is still wanted at half
// life, and ends the rest. Only jobs near the head are leased: one that cannot
// start needs no lease.
func wantedLeaseEdits(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	left := g.LeaseConfig.Window
	for _, dec := range g.PendingDecisionsInOrder() {
		j := g.View.Job(int64(dec.Job))
		in := g.standingIntent(j, beginTimeField)
		switch {
		case dec.Verb == policy.Hold && left > 0:
			left--
			if until, ok := g.newLeaseEnd(j, in); ok {
				edits = append(edits, g.editForJob(j, slurm.Edit{Kind: slurm.EditLease, Until: until, Why: dec.Why}))
			}
		case dec.Verb != policy.Hold && in != nil:
			edits = g.appendUndoEdit(edits, undoLease, in, j, dec.Why)
		}
	}
	return edits
}

// newLeaseEnd returns when a new lease of the job ends; ok is false where none is
// called for: the one that stands lasts, or the owner's own begin is later, which
// is never shortened.
func (g *PartitionGoal) newLeaseEnd(j *slurm.Job, in *bridge.Intent) (until time.Time, ok bool) {
	now := g.View.At
	if in != nil && in.Edit.Until.Sub(now) > g.LeaseConfig.Length/2 {
		return until, false
	}
	until = now.Add(g.LeaseConfig.Length - leaseJitter(j.ID, g.Snapshot.Seq, g.LeaseConfig.Length)).Truncate(time.Second)
	own := j.EligibleTime
	if in != nil {
		own = in.Before.Begin
	}
	return until, own.Before(until)
}

// leaseJitter returns 1 to 59 seconds but at most a tenth of the lease, the same for
// the same job and cycle. It spreads the ends of leases and makes an accidental
// match of somebody else's begin time unlikely.
func leaseJitter(job int64, seq uint64, length time.Duration) time.Duration {
	spread := uint64(max(1, min(59, length/10/time.Second)))
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(job))
	binary.LittleEndian.PutUint64(b[8:], seq)
	h.Write(b[:])
	return time.Duration(1+h.Sum64()%spread) * time.Second
}
