package runs

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/runs/reconcile"
)

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
