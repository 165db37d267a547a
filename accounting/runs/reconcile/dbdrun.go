package reconcile

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/policy"
)

// DBDRun is a run as slurmdbd has it: one row, or several where the run was
// resized.
type DBDRun struct {
	Rows    []slurmdb.Job // all ended, sorted by submit
	isFinal bool          // the last row ended the run, too
}

// FirstRow is the row with which the run began.
func (t *DBDRun) FirstRow() *slurmdb.Job { return &t.Rows[0] }

func (t *DBDRun) lastRow() *slurmdb.Job { return &t.Rows[len(t.Rows)-1] }

// NewDBDRuns joins rows to runs, sorted by job, then submit. Rows that are not
// over yet are left to the polls.
func NewDBDRuns(rows []slurmdb.Job) []DBDRun {
	rows = SortByJob(rows)
	var out []DBDRun
	for i, r := range rows {
		if i+1 < len(rows) && rows[i+1].ID == r.ID && rows[i+1].Submit.Equal(r.Submit) {
			continue // the same row again, read when more was known
		}
		if n := len(out); n > 0 && rowContinuesRun(out[n-1].lastRow(), &r) {
			if out[n-1].isFinal = r.State != resizingState && r.HasEnded(); r.HasEnded() {
				out[n-1].Rows = append(out[n-1].Rows, r)
			}
			continue
		}
		if r.HasEnded() {
			out = append(out, DBDRun{[]slurmdb.Job{r}, r.State != resizingState})
		}
	}
	return out
}

// SortByJob sorts a copy of the rows by job, then submit.
func SortByJob(rows []slurmdb.Job) []slurmdb.Job {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b slurmdb.Job) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), a.Submit.Compare(b.Submit), a.End.Compare(b.End))
	})
	return rows
}

// resizingState ends a row, not the run.
const resizingState = "RESIZING"

// rowContinuesRun reports whether a row goes on with the run that another row left
// at a change of its size: its submit time is the time of the change.
func rowContinuesRun(was, row *slurmdb.Job) bool {
	return was.State == resizingState && was.ID == row.ID && was.User == row.User && was.End.Equal(row.Submit)
}

// startOfDBDRow returns when a row began to hold what it holds; zero if it never did.
// Some releases repeat the run's start in rows that follow a change of size.
func startOfDBDRow(r *slurmdb.Job) time.Time {
	if r.Nodes.Text == "" || r.Start.IsZero() {
		return time.Time{}
	}
	return policy.Later(r.Start, r.Submit)
}

// startTime returns when the run began; zero if it never did.
func (t *DBDRun) startTime() time.Time { return startOfDBDRow(t.FirstRow()) }

// isLaterPartOf reports whether the rows are but the later part of the known run: they
// begin at a change of size, when that was running.
func (t *DBDRun) isLaterPartOf(k *StoredRun) bool {
	f := t.FirstRow()
	return k.Started != nil && k.Started.Before(f.Submit) && k.User == value.ValidText(f.User) && !f.Start.IsZero() && !f.Start.After(f.Submit)
}

// isLessKnownThan reports whether slurmdbd told more of the known run before.
func (t *DBDRun) isLessKnownThan(k *StoredRun) bool {
	return k != nil && k.Ended != nil && k.Ended.After(t.lastRow().End) && !t.isFinal && (k.FromDBD || k.State == resizingState)
}

// matchRuns finds for each run of slurmdbd the known run that it is, nil if it is new.
// Both are of one job. A job runs once at a time, so that runs that overlap
// are the same.
func matchRuns(list []DBDRun, past []*StoredRun) []*StoredRun {
	out := make([]*StoredRun, len(list))
	taken := map[*StoredRun]bool{}
	for _, same := range []func(*DBDRun, *StoredRun) bool{isSameButBetterKnown, hasSameSLUID, hasSameKey, hasSameSubmit, hasSameStart, isNextPart, isEarlierPart} {
		for i := range list {
			for _, k := range past {
				if out[i] == nil && !taken[k] && same(&list[i], k) {
					out[i], taken[k] = k, true
				}
			}
		}
	}
	return out
}

func (t *DBDRun) hasRowWhere(f func(*slurmdb.Job) bool) bool {
	for i := range t.Rows {
		if f(&t.Rows[i]) {
			return true
		}
	}
	return false
}

// hasSameSLUID is no proof alone: while a requeued run is completing, Slurm shows
// it with the next run's.
func hasSameSLUID(t *DBDRun, k *StoredRun) bool {
	return k.SLUID != "" && t.hasRowWhere(func(r *slurmdb.Job) bool { return r.SLUID == k.SLUID }) &&
		(hasSameSubmit(t, k) || hasSameStart(t, k) || t.isLaterPartOf(k))
}

// isSameButBetterKnown prefers the known run of which more was told before.
func isSameButBetterKnown(t *DBDRun, k *StoredRun) bool {
	return t.isLessKnownThan(k) && hasSameSubmit(t, k)
}

func hasSameKey(t *DBDRun, k *StoredRun) bool {
	return hasSameSubmit(t, k) && t.FirstRow().Restarts == k.Restarts
}

func hasSameSubmit(t *DBDRun, k *StoredRun) bool {
	return t.hasRowWhere(func(r *slurmdb.Job) bool { return r.Submit.Unix() == k.Submit })
}

func hasSameStart(t *DBDRun, k *StoredRun) bool {
	return k.Started != nil && k.User == value.ValidText(t.FirstRow().User) && t.hasRowWhere(func(r *slurmdb.Job) bool { return r.Start.Equal(*k.Started) && r.Nodes.Text != "" })
}

// isNextPart reports whether the rows are the later part of the known run.
func isNextPart(t *DBDRun, k *StoredRun) bool {
	return t.isLaterPartOf(k) && (k.Ended == nil || !k.Ended.Before(startOfDBDRow(t.FirstRow())))
}

// isEarlierPart reports whether the rows are the earlier part of the known run.
func isEarlierPart(t *DBDRun, k *StoredRun) bool {
	return !t.isFinal && t.lastRow().End.Unix() == k.Submit && k.User == value.ValidText(t.FirstRow().User)
}

// supersedesRun reports whether a known run that is none of slurmdbd's was taken for
// another one than it is: polls saw it while this one ran, or it is a later
// part of this one that was told alone.
func supersedesRun(t *DBDRun, k *StoredRun) bool {
	if hasSameSubmit(t, k) {
		return true
	}
	start := t.startTime()
	return !k.FromDBD && k.Started != nil && !start.IsZero() && !k.Started.Before(start) && k.Started.Before(t.lastRow().End)
}
