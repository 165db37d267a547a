package runs

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/internal/value"
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
	Cluster   string
	ChangedAt time.Time // of the change
	// Since and Through are the times of which Rows holds every row; zero when
	// that is not known, as with a file of sacct's.
	Since, Through time.Time
	Rows           []slurmdb.Job
	// TypeByNode is the type of the GPUs of nodes that have only one, for sites whose
	// slurmdbd counts GPUs without their type.
	TypeByNode map[string]string
}

// StoreCounts says what StoreRecords did.
type StoreCounts struct {
	RowCount      int `json:"rows"`     // read, those of runs that go on included
	RunCount      int `json:"runs"`     // that are over
	ChangedCount  int `json:"changed"`  // runs that did not stand so
	NewCount      int `json:"new"`      // of the changed: nobody saw them before
	ReplacedCount int `json:"replaced"` // runs that polls took for others than they were
}

// Add adds up counts.
func (s *StoreCounts) Add(o StoreCounts) {
	s.RowCount, s.RunCount, s.ChangedCount, s.NewCount, s.ReplacedCount = s.RowCount+o.RowCount, s.RunCount+o.RunCount, s.ChangedCount+o.ChangedCount, s.NewCount+o.NewCount, s.ReplacedCount+o.ReplacedCount
}

// StoreRecords makes runs that are over stand as slurmdbd has them, all or nothing.
// What polls know better stays: the devices on each node, the moments of a
// suspension. Doing it again changes no row, and the order of calls does not
// matter. All rows of one job that are at hand belong into one call.
func (s *Store) StoreRecords(ctx context.Context, in Records) (StoreCounts, error) {
	var out StoreCounts
	err := s.DB.RunTx(ctx, "storing slurmdbd's records", func(tx pgx.Tx) error {
		out = StoreCounts{RowCount: len(in.Rows)}
		if _, _, err := lockAndReadViewTimes(ctx, tx, in.Cluster); err != nil { // polls wait
			return err
		}
		list := reconcile.NewDBDRuns(in.Rows)
		past, segs, err := readStoredRunsByJob(ctx, tx, in.Cluster, list)
		if err != nil {
			return err
		}
		var w pendingWrites
		for from := 0; from < len(list); {
			to, job := from+1, list[from].FirstRow().ID
			for to < len(list) && list[to].FirstRow().ID == job {
				to++
			}
			a, err := reconcile.Reconcile(list[from:to], past[job], segs, in.TypeByNode)
			if err != nil {
				return err
			}
			w.addResult(a, past[job], segs)
			from = to
		}
		out.RunCount, out.ChangedCount, out.NewCount, out.ReplacedCount = len(list), w.changedCount, w.newCount, len(w.goneRuns)
		return w.write(ctx, tx, in)
	})
	return out, err
}

// readStoredRunsByJob returns all known runs of the jobs of the list, by job, and their segments.
func readStoredRunsByJob(ctx context.Context, tx pgx.Tx, cluster string, list []reconcile.DBDRun) (map[int64][]*reconcile.StoredRun, map[reconcile.RunKey][]reconcile.Segment, error) {
	var ids []int64
	for i := range list {
		ids = append(ids, list[i].FirstRow().ID)
	}
	rows, err := tx.Query(ctx, qRunsOfJobs, cluster, slices.Compact(ids))
	if err != nil {
		return nil, nil, err
	}
	past, keys := map[int64][]*reconcile.StoredRun{}, []reconcile.RunKey(nil)
	var r reconcile.StoredRun
	var limit int64
	_, err = pgx.ForEachRow(rows, []any{&r.Job, &r.Submit, &r.Restarts, &r.Arrive, &r.SLUID, &r.Name, &r.User, &r.Account, &r.QOS, &r.Partition, &r.State,
		&r.Reason, &r.ArrayJob, &r.ArrayTask, &limit, &r.GPUs, &r.Started, &r.Ended, &r.Closed, &r.Exact, &r.FromDBD}, func() error {
		k := r
		k.Limit = time.Duration(limit) * time.Second
		past[k.Job] = append(past[k.Job], &k)
		keys = append(keys, k.RunKey)
		r = reconcile.StoredRun{}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	segs, err := readSegmentsByRun(ctx, tx, cluster, keys)
	return past, segs, err
}

// pendingWrites gathers what has to be written: only what does not stand yet.
type pendingWrites struct {
	runs                   []reconcile.StoredRun
	segmentedRuns          []reconcile.RunKey // runs whose segments are written
	segments               []segmentOfRun
	goneRuns               []reconcile.RunKey
	changedCount, newCount int
}

// addResult notes what a reconciliation changes. past are the rows that stand, segs their
// segments.
func (w *pendingWrites) addResult(a reconcile.Result, past []*reconcile.StoredRun, segs map[reconcile.RunKey][]reconcile.Segment) {
	w.goneRuns = append(w.goneRuns, a.GoneRuns...)
	for i := range a.Runs {
		r := &a.Runs[i]
		at := slices.IndexFunc(past, func(k *reconcile.StoredRun) bool { return k.RunKey == r.RunKey })
		stands := at >= 0 && r.IsSame(past[at])
		s, given := a.Segments[r.RunKey]
		put := given && (!reconcile.AreSameSegments(s, segs[r.RunKey]) || at >= 0 && !r.HasSameUserAndPartition(past[at]))
		if !stands {
			w.runs = append(w.runs, *r)
		}
		if put {
			w.segmentedRuns = append(w.segmentedRuns, r.RunKey)
			for _, g := range s {
				w.segments = append(w.segments, segmentOfRun{r, g})
			}
		}
		if !stands || put {
			w.changedCount++
		}
		if at < 0 {
			w.newCount++
		}
	}
}

func (w *pendingWrites) write(ctx context.Context, tx pgx.Tx, in Records) error {
	if !in.Since.IsZero() {
		if _, err := tx.Exec(ctx, qImportsPut, in.Cluster, in.Since, in.Through); err != nil {
			return err
		}
	}
	if w.changedCount == 0 && len(w.goneRuns) == 0 {
		return nil
	}
	rows := append(runColumns(w.runs), value.ColumnOf(w.runs, func(r *reconcile.StoredRun) bool { return r.Exact }), value.ColumnOf(w.runs, func(r *reconcile.StoredRun) bool { return r.FromDBD }))
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{qRunsDelete, runKeyColumns(w.goneRuns)}, {qSegmentsPut, segmentColumns(w.segmentedRuns, w.segments)}, {qRunsPutDBD, append([]any{in.ChangedAt}, rows...)}, {qWatchRewritten, nil},
	} {
		if _, err := tx.Exec(ctx, statement.query, append([]any{in.Cluster}, statement.args...)...); err != nil {
			return err
		}
	}
	return nil
}
