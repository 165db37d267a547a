package ledger

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// beginSlack is how far Slurm 22.05 may round a begin time that could only be
// given relative to its own clock. The observed value is adopted as ours.
const beginSlack = 3 * time.Second

// seen reports whether the job shows the effect of the intent. A begin time
// within beginSlack of the wanted one is adopted.
func seen(in *bridge.Intent, j *slurm.Job) bool {
	e := &in.Edit
	switch e.Kind {
	case slurm.Lease:
		if d := j.Eligible.Sub(e.Until); d > beginSlack || d < -beginSlack {
			return false
		}
		e.Until, in.NotAfter = j.Eligible, j.Eligible
		return true
	case slurm.Unlease:
		return !j.Pending() || !j.Eligible.After(e.Until.Add(beginSlack))
	case slurm.HardHold:
		return j.Held
	case slurm.HandBack:
		return !j.Held && (j.Priority != in.Before.Priority || !in.Before.Held.IsZero())
	case slurm.Requeue:
		return j.Restarts > e.Run.Restarts || e.Run.SLUID != "" && j.SLUID != "" && j.SLUID != e.Run.SLUID
	case slurm.SetGPUs:
		return true
	case slurm.Warn: // no record shows it
		return in.State == bridge.Acked
	}
	if whose := Whose(in, j); whose != Hidden {
		return whose == Ours
	}
	return felt(in, j)
}

// driftShare is the part of a priority that Slurm's own factors may plausibly
// move it by within a few minutes: one part in so many.
const driftShare = 64

// felt judges a value that the record does not show by the priority it moved.
// Age and fair share move too, so half the wanted step is enough; a step that
// their drift can hide is believed when Slurm said yes. A priority that did not
// move at all was set directly by somebody: it follows nothing. A held job
// shows nothing.
func felt(in *bridge.Intent, j *slurm.Job) bool {
	if j.Held || !j.Pending() {
		return true
	}
	want, got := step(in), j.Priority-in.Before.Priority
	drift := in.Before.Priority/driftShare + 1
	switch {
	case got == want || want < 0 && j.Priority <= 1:
		return true
	case got == 0:
		return false
	case want > -2*drift && want < 2*drift:
		return in.State == bridge.Acked
	case want < 0:
		return got <= want/2
	}
	return got >= want/2
}

// step is by how much the intent was to move the job's priority.
func step(in *bridge.Intent) int64 {
	if in.Edit.Kind == slurm.Nice {
		return in.Before.Nice - in.Edit.Value
	}
	return in.Edit.Value - in.Before.Ours
}
