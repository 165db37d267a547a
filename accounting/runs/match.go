package runs

import (
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm/slurmdb"
)

// rec is a row of job_runs, its digest aside.
type rec struct {
	runKey
	arrive                          time.Time
	sluid, name, user, account, qos string
	partition, state, reason        string
	arrayJob, arrayTask             int64
	limit                           time.Duration
	gpus                            int
	started, ended                  *time.Time
	closed, exact, authority        bool
}

// match finds for each told run the known run that it is, nil if it is new.
// Both are of one job. A job runs once at a time, so that runs that overlap
// are the same.
func match(list []told, past []*rec) []*rec {
	out := make([]*rec, len(list))
	taken := map[*rec]bool{}
	for _, same := range []func(*told, *rec) bool{sameLonger, sameSLUID, sameKey, sameSubmit, sameBegin, goesOn, goesBefore} {
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

func (t *told) any(f func(*slurmdb.Job) bool) bool {
	for i := range t.rows {
		if f(&t.rows[i]) {
			return true
		}
	}
	return false
}

// sameSLUID is no proof alone: while a requeued run is completing, Slurm shows
// it with the next run's.
func sameSLUID(t *told, k *rec) bool {
	return k.sluid != "" && t.any(func(r *slurmdb.Job) bool { return r.SLUID == k.sluid }) &&
		(sameSubmit(t, k) || sameBegin(t, k) || t.later(k))
}

// sameLonger prefers the known run of which more was told before.
func sameLonger(t *told, k *rec) bool { return t.short(k) && sameSubmit(t, k) }

func sameKey(t *told, k *rec) bool {
	return sameSubmit(t, k) && t.first().Restarts == k.restarts
}

func sameSubmit(t *told, k *rec) bool {
	return t.any(func(r *slurmdb.Job) bool { return r.Submit.Unix() == k.submit })
}

func sameBegin(t *told, k *rec) bool {
	return k.started != nil && k.user == value.Text(t.first().User) && t.any(func(r *slurmdb.Job) bool { return r.Start.Equal(*k.started) && r.Nodes.Text != "" })
}

// goesOn reports whether the rows are the later part of the known run.
func goesOn(t *told, k *rec) bool {
	return t.later(k) && (k.ended == nil || !k.ended.Before(startOf(t.first())))
}

// goesBefore reports whether the rows are the earlier part of the known run.
func goesBefore(t *told, k *rec) bool {
	return !t.final && t.last().End.Unix() == k.submit && k.user == value.Text(t.first().User)
}

// covers reports whether a known run that is none of those told was taken for
// another one than it is: polls saw it while this one ran, or it is a later
// part of this one that was told alone.
func covers(t *told, k *rec) bool {
	if sameSubmit(t, k) {
		return true
	}
	start := t.started()
	return !k.authority && k.started != nil && !start.IsZero() && !k.started.Before(start) && k.started.Before(t.last().End)
}
