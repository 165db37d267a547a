package ledger

import (
	"time"

	"fairbridge/bridge/slurm"
)

// beginSlack is how far Slurm 22.05 may round a begin time that could only be
// given relative to its own clock. The observed value is adopted as ours.
const beginSlack = 3 * time.Second

// seen reports whether the job shows the effect of the intent. A begin time
// within beginSlack of the wanted one is adopted.
func seen(in *Intent, j *slurm.Job) bool {
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
	case slurm.Priority:
		return j.Priority == e.Value
	case slurm.HardHold:
		return j.Held
	case slurm.HandBack:
		return !j.Held && j.Priority != in.Before.Priority
	case slurm.Nice:
		return !j.NiceKnown || j.Nice == e.Value
	case slurm.SiteFactor:
		return siteSeen(in, j)
	case slurm.Require:
		return slurm.SameHosts(j.Required, e.Nodes)
	case slurm.Exclude:
		return slurm.SameHosts(j.Excluded, e.Nodes)
	case slurm.Requeue:
		return j.Restarts > e.Run.Restarts || e.Run.SLUID != "" && j.SLUID != "" && j.SLUID != e.Run.SLUID
	}
	return true
}

// Drift is how far Slurm's own factors may plausibly move a priority within a
// few minutes.
const Drift int64 = 1 << 15

// siteSeen judges a site factor, which no release shows, by the priority it
// moved. Age and fair share move too, so half the wanted step is enough; a step
// that their drift can hide is believed when Slurm said yes. Once seen, it is
// gone when the priority is less than what we added: an administrator set it,
// or a call we had given up came late. A held job shows nothing.
func siteSeen(in *Intent, j *slurm.Job) bool {
	switch {
	case j.Held || !j.Pending():
		return true
	case in.State == Observed:
		return j.Priority >= in.Edit.Value-Drift
	}
	want, got := in.Edit.Value-in.Before.Ours, j.Priority-in.Before.Priority
	switch {
	case want > -2*Drift && want < 2*Drift:
		return in.State == Acked
	case want < 0:
		return got <= want/2 || j.Priority <= 1
	}
	return got >= want/2
}
