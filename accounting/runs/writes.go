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
	rows         []reconcile.Row
	resegmented  []reconcile.Key // runs whose segments are written
	segments     []runSegment
	gone         []reconcile.Key
	changed, new int
}

// add notes what a reconciliation changes. past are the rows that stand, segs their
// segments.
func (w *pendingWrites) add(a reconcile.Result, past []*reconcile.Row, segs map[reconcile.Key][]reconcile.Segment) {
	w.gone = append(w.gone, a.Gone...)
	for i := range a.Rows {
		r := &a.Rows[i]
		at := slices.IndexFunc(past, func(k *reconcile.Row) bool { return k.Key == r.Key })
		stands := at >= 0 && r.Same(past[at])
		s, given := a.Segments[r.Key]
		put := given && (!reconcile.SameSegments(s, segs[r.Key]) || at >= 0 && !r.SameHolder(past[at]))
		if !stands {
			w.rows = append(w.rows, *r)
		}
		if put {
			w.resegmented = append(w.resegmented, r.Key)
			for _, g := range s {
				w.segments = append(w.segments, runSegment{r, g})
			}
		}
		if !stands || put {
			w.changed++
		}
		if at < 0 {
			w.new++
		}
	}
}

func (w *pendingWrites) write(ctx context.Context, tx pgx.Tx, in Records) error {
	if !in.Since.IsZero() {
		if _, err := tx.Exec(ctx, qImportsPut, in.Cluster, in.Since, in.Through); err != nil {
			return err
		}
	}
	if w.changed == 0 && len(w.gone) == 0 {
		return nil
	}
	rows := append(rowColumns(w.rows), value.Column(w.rows, func(r *reconcile.Row) bool { return r.Exact }), value.Column(w.rows, func(r *reconcile.Row) bool { return r.FromDBD }))
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{qRunsDelete, keyColumns(w.gone)}, {qSegmentsPut, segmentColumns(w.resegmented, w.segments)}, {qRunsPutDBD, append([]any{in.Now}, rows...)}, {qWatchRewritten, nil},
	} {
		if _, err := tx.Exec(ctx, statement.query, append([]any{in.Cluster}, statement.args...)...); err != nil {
			return err
		}
	}
	return nil
}
