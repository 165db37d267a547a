package reconcile

import (
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
)

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
