package actuator

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// A lease keeps a job from starting until a moment that comes by itself; a hard
// hold, until somebody ends it.
var (
	lease = Row{
		Kind: slurm.Lease, Field: begin, Needs: bridge.Steer, Turn: TurnLease, Repeatable: true,
		Shows: leaseShown, Undo: unleased,
		// A begin time that is neither the one of before nor ours is somebody's.
		Overruled: func(in *bridge.Intent, j *slurm.Job) bool { return !j.Eligible.Equal(in.Before.Eligible) },
	}
	unlease = Row{
		Kind: slurm.Unlease, Field: begin, Needs: bridge.Rank, Turn: TurnRest, Repeatable: true, Frees: true,
		Shows: func(in *bridge.Intent, j *slurm.Job) bool {
			return !j.Pending() || !j.Eligible.After(in.Edit.Until.Add(beginSlack))
		},
	}
	hardHold = Row{
		Kind: slurm.HardHold, Field: direct, Needs: bridge.Steer, Turn: TurnRest,
		Shows: func(_ *bridge.Intent, j *slurm.Job) bool { return j.Held },
	}
)

// begin is the begin time, in which a lease stands in place of the owner's own.
var begin = &Field{
	Name:  slurm.FieldBegin,
	Whose: func(in *bridge.Intent, j *slurm.Job) Owner { return owner(j.Eligible.Equal(in.Edit.Until)) },
	Foreign: func(in *bridge.Intent, j *slurm.Job) string {
		return fmt.Sprintf("begin time is now %s, we had set %s", stamp(j.Eligible), stamp(in.Edit.Until))
	},
	GivesBack: func(e *slurm.Edit, _ *bridge.Before) bool { return e.Kind == slurm.Unlease },
	Touched: func(noted *bridge.Before, j *slurm.Job) string {
		if j.Eligible.Equal(noted.Eligible) {
			return ""
		}
		return "its begin time is " + stamp(j.Eligible) + " now"
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

// leaseShown reports whether the job begins when the lease ends. A begin time
// within beginSlack of the wanted one is adopted.
func leaseShown(in *bridge.Intent, j *slurm.Job) bool {
	e := &in.Edit
	if d := j.Eligible.Sub(e.Until); d > beginSlack || d < -beginSlack {
		return false
	}
	e.Until, in.NotAfter = j.Eligible, j.Eligible
	return true
}

// unleased ends a lease now, or when the owner's own begin time comes.
func unleased(e *slurm.Edit, in *bridge.Intent, j *slurm.Job, now time.Time) bool {
	e.Kind, e.Until = slurm.Unlease, now
	if in.Before.Begin.After(now) {
		e.Until = in.Before.Begin
	}
	return j.Pending()
}
