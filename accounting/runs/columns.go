package runs

import (
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/runs/reconcile"
)

func keyColumns(keys []reconcile.Key) []any {
	type k = reconcile.Key
	return []any{
		value.Column(keys, func(k *k) int64 { return k.Job }), value.Column(keys, func(k *k) int64 { return k.Submit }),
		value.Column(keys, func(k *k) int32 { return int32(k.Restarts) }),
	}
}

// rowColumns are the columns that both ways of storing runs have.
func rowColumns(rows []reconcile.Row) []any {
	type r = reconcile.Row
	texts := func(of func(*r) string) []string { return value.Column(rows, of) }
	return append(keyColumns(value.Column(rows, func(r *r) reconcile.Key { return r.Key })),
		value.Column(rows, func(r *r) time.Time { return r.Arrive }),
		texts(func(r *r) string { return r.SLUID }), texts(func(r *r) string { return r.Name }), texts(func(r *r) string { return r.User }),
		texts(func(r *r) string { return r.Account }), texts(func(r *r) string { return r.QOS }), texts(func(r *r) string { return r.Partition }),
		value.Column(rows, func(r *r) int64 { return r.ArrayJob }), value.Column(rows, func(r *r) int64 { return r.ArrayTask }),
		texts(func(r *r) string { return r.State }), texts(func(r *r) string { return r.Reason }),
		value.Column(rows, func(r *r) int64 { return int64(r.Limit / time.Second) }), value.Column(rows, func(r *r) int32 { return int32(r.GPUs) }),
		value.Column(rows, func(r *r) *time.Time { return r.Started }), value.Column(rows, func(r *r) *time.Time { return r.Ended }),
		value.Column(rows, func(r *r) bool { return r.Closed }))
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
	texts := func(of func(*s) string) []string { return value.Column(list, of) }
	return append(append(keyColumns(runs), keyColumns(value.Column(list, func(s *s) reconcile.Key { return s.Key }))...),
		texts(func(s *s) string { return value.Text(s.Node) }), texts(func(s *s) string { return value.Text(s.GPU) }),
		value.Column(list, func(s *s) time.Time { return s.Start }), value.Column(list, func(s *s) *time.Time { return value.NullTime(s.Stop) }),
		value.Column(list, func(s *s) int32 { return int32(s.Count) }), value.Column(list, func(s *s) int32 { return int32(s.Part) }),
		texts(func(s *s) string { return s.User }), texts(func(s *s) string { return s.Account }), texts(func(s *s) string { return s.Partition }))
}
