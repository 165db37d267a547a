package runs

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/runs/reconcile"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/sql"
)

var (
	qRunsOfJobs, qRunsPutDBD, qRunsDelete = sql.QueryText("runs_of_jobs"), sql.QueryText("runs_put_dbd"), sql.QueryText("runs_delete")
	qWatchRewritten                       = sql.QueryText("watch_rewritten")
)

// Records are rows of slurmdbd to be stored.
type Records struct {
	Cluster string
	Now     time.Time // of the change
	// Since and Through are the times of which Rows holds every row; zero when
	// that is not known, as with a file of sacct's.
	Since, Through time.Time
	Rows           []slurmdb.Job
	// TypeByNode is the type of the GPUs of nodes that have only one, for sites whose
	// slurmdbd counts GPUs without their type.
	TypeByNode map[string]string
}

// Counts says what StoreRecords did.
type Counts struct {
	Rows     int `json:"rows"`     // read, those of runs that go on included
	Runs     int `json:"runs"`     // that are over
	Changed  int `json:"changed"`  // runs that did not stand so
	Added    int `json:"new"`      // of the changed: nobody saw them before
	Replaced int `json:"replaced"` // runs that polls took for others than they were
}

// Add adds up counts.
func (s *Counts) Add(o Counts) {
	s.Rows, s.Runs, s.Changed, s.Added, s.Replaced = s.Rows+o.Rows, s.Runs+o.Runs, s.Changed+o.Changed, s.Added+o.Added, s.Replaced+o.Replaced
}

// StoreRecords makes runs that are over stand as slurmdbd has them, all or nothing.
// What polls know better stays: the devices on each node, the moments of a
// suspension. Doing it again changes no row, and the order of calls does not
// matter. All rows of one job that are at hand belong into one call.
func (s *Store) StoreRecords(ctx context.Context, in Records) (Counts, error) {
	var out Counts
	err := s.DB.Tx(ctx, "storing slurmdbd's records", func(tx pgx.Tx) error {
		out = Counts{Rows: len(in.Rows)}
		if _, _, err := lastViews(ctx, tx, in.Cluster); err != nil { // polls wait
			return err
		}
		list := reconcile.DBDRuns(in.Rows)
		past, segs, err := storedRunsOfJobs(ctx, tx, in.Cluster, list)
		if err != nil {
			return err
		}
		var w pendingWrites
		for from := 0; from < len(list); {
			to, job := from+1, list[from].First().ID
			for to < len(list) && list[to].First().ID == job {
				to++
			}
			a, err := reconcile.Reconcile(list[from:to], past[job], segs, in.TypeByNode)
			if err != nil {
				return err
			}
			w.add(a, past[job], segs)
			from = to
		}
		out.Runs, out.Changed, out.Added, out.Replaced = len(list), w.changedCount, w.newCount, len(w.goneRuns)
		return w.write(ctx, tx, in)
	})
	return out, err
}

// storedRunsOfJobs returns all known runs of the jobs of the list, by job, and their segments.
func storedRunsOfJobs(ctx context.Context, tx pgx.Tx, cluster string, list []reconcile.DBDRun) (map[int64][]*reconcile.StoredRun, map[reconcile.Key][]reconcile.Segment, error) {
	var ids []int64
	for i := range list {
		ids = append(ids, list[i].First().ID)
	}
	rows, err := tx.Query(ctx, qRunsOfJobs, cluster, slices.Compact(ids))
	if err != nil {
		return nil, nil, err
	}
	past, keys := map[int64][]*reconcile.StoredRun{}, []reconcile.Key(nil)
	var r reconcile.StoredRun
	var limit int64
	_, err = pgx.ForEachRow(rows, []any{&r.Job, &r.Submit, &r.Restarts, &r.Arrive, &r.SLUID, &r.Name, &r.User, &r.Account, &r.QOS, &r.Partition, &r.State,
		&r.Reason, &r.ArrayJob, &r.ArrayTask, &limit, &r.GPUs, &r.Started, &r.Ended, &r.Closed, &r.Exact, &r.FromDBD}, func() error {
		k := r
		k.Limit = time.Duration(limit) * time.Second
		past[k.Job] = append(past[k.Job], &k)
		keys = append(keys, k.Key)
		r = reconcile.StoredRun{}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	segs, err := segmentsOf(ctx, tx, cluster, keys)
	return past, segs, err
}
