package reconcile

import (
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
)

// matchRuns finds for each run of slurmdbd the known run that it is, nil if it is new.
// Both are of one job. A job runs once at a time, so that runs that overlap
// are the same.
func matchRuns(list []DBDRun, past []*Row) []*Row {
	out := make([]*Row, len(list))
	taken := map[*Row]bool{}
	for _, same := range []func(*DBDRun, *Row) bool{sameAndLonger, sameSLUID, sameKey, sameSubmit, sameStartOfRow, isLaterPart, isEarlierPart} {
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

func (t *DBDRun) anyRow(f func(*slurmdb.Job) bool) bool {
	for i := range t.Rows {
		if f(&t.Rows[i]) {
			return true
		}
	}
	return false
}

// sameSLUID is no proof alone: while a requeued run is completing, Slurm shows
// it with the next run's.
func sameSLUID(t *DBDRun, k *Row) bool {
	return k.SLUID != "" && t.anyRow(func(r *slurmdb.Job) bool { return r.SLUID == k.SLUID }) &&
		(sameSubmit(t, k) || sameStartOfRow(t, k) || t.continuesRow(k))
}

// sameAndLonger prefers the known run of which more was told before.
func sameAndLonger(t *DBDRun, k *Row) bool { return t.tellsLessThan(k) && sameSubmit(t, k) }

func sameKey(t *DBDRun, k *Row) bool {
	return sameSubmit(t, k) && t.First().Restarts == k.Restarts
}

func sameSubmit(t *DBDRun, k *Row) bool {
	return t.anyRow(func(r *slurmdb.Job) bool { return r.Submit.Unix() == k.Submit })
}

func sameStartOfRow(t *DBDRun, k *Row) bool {
	return k.Started != nil && k.User == value.Text(t.First().User) && t.anyRow(func(r *slurmdb.Job) bool { return r.Start.Equal(*k.Started) && r.Nodes.Text != "" })
}

// isLaterPart reports whether the rows are the later part of the known run.
func isLaterPart(t *DBDRun, k *Row) bool {
	return t.continuesRow(k) && (k.Ended == nil || !k.Ended.Before(startOfRow(t.First())))
}

// isEarlierPart reports whether the rows are the earlier part of the known run.
func isEarlierPart(t *DBDRun, k *Row) bool {
	return !t.final && t.last().End.Unix() == k.Submit && k.User == value.Text(t.First().User)
}

// supersedes reports whether a known run that is none of slurmdbd's was taken for
// another one than it is: polls saw it while this one ran, or it is a later
// part of this one that was told alone.
func supersedes(t *DBDRun, k *Row) bool {
	if sameSubmit(t, k) {
		return true
	}
	start := t.started()
	return !k.FromDBD && k.Started != nil && !start.IsZero() && !k.Started.Before(start) && k.Started.Before(t.last().End)
}
