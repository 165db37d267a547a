package runs

import (
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/runs/reconcile"
)

// Rows travel to Postgres by column, as arrays: one statement, one round trip.

// column is one value of each row.
func column[R, V any](rows []R, of func(*R) V) []V {
	out := make([]V, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}

func keyColumns(keys []reconcile.Key) []any {
	type k = reconcile.Key
	return []any{
		column(keys, func(k *k) int64 { return k.Job }), column(keys, func(k *k) int64 { return k.Submit }),
		column(keys, func(k *k) int32 { return int32(k.Restarts) }),
	}
}

// rowColumns are the columns that both ways of storing runs have.
func rowColumns(rows []reconcile.Row) []any {
	type r = reconcile.Row
	texts := func(of func(*r) string) []string { return column(rows, of) }
	return append(keyColumns(column(rows, func(r *r) reconcile.Key { return r.Key })),
		column(rows, func(r *r) time.Time { return r.Arrive }),
		texts(func(r *r) string { return r.SLUID }), texts(func(r *r) string { return r.Name }), texts(func(r *r) string { return r.User }),
		texts(func(r *r) string { return r.Account }), texts(func(r *r) string { return r.QOS }), texts(func(r *r) string { return r.Partition }),
		column(rows, func(r *r) int64 { return r.ArrayJob }), column(rows, func(r *r) int64 { return r.ArrayTask }),
		texts(func(r *r) string { return r.State }), texts(func(r *r) string { return r.Reason }),
		column(rows, func(r *r) int64 { return int64(r.Limit / time.Second) }), column(rows, func(r *r) int32 { return int32(r.GPUs) }),
		column(rows, func(r *r) *time.Time { return r.Started }), column(rows, func(r *r) *time.Time { return r.Ended }),
		column(rows, func(r *r) bool { return r.Closed }))
}

// runSegment is a segment of a run.
type runSegment struct {
	*reconcile.Row
	reconcile.Segment
}

// segmentColumns are the arguments that make the segments of the runs exactly the
// given ones.
func segmentColumns(runs []reconcile.Key, list []runSegment) []any {
	type s = runSegment
	texts := func(of func(*s) string) []string { return column(list, of) }
	return append(append(keyColumns(runs), keyColumns(column(list, func(s *s) reconcile.Key { return s.Key }))...),
		texts(func(s *s) string { return value.Text(s.Node) }), texts(func(s *s) string { return value.Text(s.GPU) }),
		column(list, func(s *s) time.Time { return s.Start }), column(list, func(s *s) *time.Time { return value.NullTime(s.Stop) }),
		column(list, func(s *s) int32 { return int32(s.Count) }), column(list, func(s *s) int32 { return int32(s.Part) }),
		texts(func(s *s) string { return s.User }), texts(func(s *s) string { return s.Account }), texts(func(s *s) string { return s.Partition }))
}
