package reconcile

import (
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// SeenRun is a run as the view shows it.
type SeenRun struct {
	StoredRun
	Job *slurm.Job
}

// InferredEnding is a run that ended without Slurm showing how.
type InferredEnding struct {
	RunKey
	At    time.Time
	State string
}

// ViewChanges are what a view adds to what is known. It is computed without the
// database, and empty when nothing changed.
type ViewChanges struct {
	Runs    []SeenRun // new or different
	Endings []InferredEnding
}

// Inferred states of runs whose end was not seen.
const (
	requeuedState = "REQUEUED"
	vanishedState = "VANISHED"
)

// CompareView finds what the view changes. past is sorted by job, submit and
// restarts, of the rows it needs RunKey, Arrive, SLUID, User, Started, Closed, FromDBD
// and Digest; before is the time of the last view, zero when this is the first.
func CompareView(v *slurm.View, past []StoredRun, before time.Time) ViewChanges {
	of := make(map[int64][]StoredRun, len(past))
	for from, i := 0, 0; i < len(past); i++ {
		if i+1 == len(past) || past[i+1].Job != past[i].Job {
			of[past[i].Job] = past[from : i+1]
			from = i + 1
		}
	}
	var c ViewChanges
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if j.ID == 0 {
			continue
		}
		mine := of[j.ID]
		delete(of, j.ID)
		if j.UntrustedReason == "" {
			c.compareJob(j, mine, v.At, before)
		}
	}
	if v.IsFullRead && !before.IsZero() {
		for i := range past {
			if _, absent := of[past[i].Job]; absent && !past[i].Closed {
				c.Endings = append(c.Endings, InferredEnding{past[i].RunKey, before, vanishedState})
			}
		}
	}
	return c
}

// compareJob compares one record with the known runs of its id.
func (c *ViewChanges) compareJob(j *slurm.Job, mine []StoredRun, at, before time.Time) {
	run := j.CurrentRun()
	key, arrive := RunKey{run.Job, run.Submit, run.Restarts}, j.Submit
	var was *StoredRun
	for i := range mine {
		k := &mine[i]
		switch old := k.slurmRun(); {
		case old.IsSameRun(run) || hasSameStartAsJob(k, j):
			was, key, arrive = k, k.RunKey, k.Arrive
		case ledger.IsSameJob(old, run) && k.User == j.User && !k.Arrive.After(j.Submit):
			if was == nil {
				arrive = k.Arrive
			}
			c.endRun(k, j.Submit, at, requeuedState)
		default:
			c.endRun(k, before, at, vanishedState)
		}
	}
	if digest := digestOfJob(j, at); was == nil || was.Digest != digest && !was.FromDBD {
		r := storedRunOfJob(j, at)
		r.RunKey, r.Arrive, r.Digest = key, arrive, digest
		c.Runs = append(c.Runs, SeenRun{r, j})
	}
}

// endRun closes a known run at t, but not later than now.
func (c *ViewChanges) endRun(k *StoredRun, t, now time.Time, state string) {
	if k.Closed {
		return
	}
	if t.IsZero() || t.After(now) {
		t = now
	}
	c.Endings = append(c.Endings, InferredEnding{k.RunKey, t, state})
}

// hasSameStartAsJob reports whether the record shows the known run by its start: while
// a requeued run is completing, some releases count the restart already.
func hasSameStartAsJob(k *StoredRun, j *slurm.Job) bool {
	t := startOfJob(j)
	return t != nil && k.Started != nil && t.Equal(*k.Started) && k.User == j.User
}

// storedRunOfJob is the run that a record shows, without what only its past tells.
func storedRunOfJob(j *slurm.Job, at time.Time) StoredRun {
	return StoredRun{
		SLUID: value.ValidText(j.SLUID), Name: value.ValidText(j.Name), User: value.ValidText(j.User), Account: value.ValidText(j.Account), QOS: value.ValidText(j.QOS),
		Partition: value.ValidText(j.PartitionText()), State: value.ValidText(j.State), Reason: value.ValidText(j.Reason), ArrayJob: j.ArrayJobID, ArrayTask: j.ArrayTaskID,
		Limit: j.TimeLimit, GPUs: j.GPUCount(), Started: startOfJob(j), Ended: value.NullIfZero(endOfJob(j, at)), Closed: j.IsDone(), Exact: true,
	}
}

// startOfJob returns when the run started; the start of a pending job is only
// Slurm's estimate, and that of one that was cancelled while pending its end.
func startOfJob(j *slurm.Job) *time.Time {
	if j.IsPending() && !j.HasFlag("COMPLETING") || j.IsDone() && j.Nodes.Text == "" {
		return nil
	}
	return value.NullIfZero(j.Start)
}

// endOfJob returns when the run ended; zero: not yet, as far as Slurm shows.
func endOfJob(j *slurm.Job, at time.Time) time.Time {
	if startOfJob(j) == nil && !j.IsDone() {
		return time.Time{}
	}
	return stopTime(j, at)
}
