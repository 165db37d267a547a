package runs

import (
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/runs/reconcile"
)

func runKeyColumns(keys []reconcile.RunKey) []any {
	type k = reconcile.RunKey
	return []any{
		value.ColumnOf(keys, func(k *k) int64 { return k.Job }), value.ColumnOf(keys, func(k *k) int64 { return k.Submit }),
		value.ColumnOf(keys, func(k *k) int32 { return int32(k.Restarts) }),
	}
}

// runColumns are the columns that both ways of storing runs have.
func runColumns(rows []reconcile.StoredRun) []any {
	type r = reconcile.StoredRun
	texts := func(of func(*r) string) []string { return value.ColumnOf(rows, of) }
	return append(runKeyColumns(value.ColumnOf(rows, func(r *r) reconcile.RunKey { return r.RunKey })),
		value.ColumnOf(rows, func(r *r) time.Time { return r.Arrive }),
		texts(func(r *r) string { return r.SLUID }), texts(func(r *r) string { return r.Name }), texts(func(r *r) string { return r.User }),
		texts(func(r *r) string { return r.Account }), texts(func(r *r) string { return r.QOS }), texts(func(r *r) string { return r.Partition }),
		value.ColumnOf(rows, func(r *r) int64 { return r.ArrayJob }), value.ColumnOf(rows, func(r *r) int64 { return r.ArrayTask }),
		texts(func(r *r) string { return r.State }), texts(func(r *r) string { return r.Reason }),
		value.ColumnOf(rows, func(r *r) int64 { return int64(r.Limit / time.Second) }), value.ColumnOf(rows, func(r *r) int32 { return int32(r.GPUs) }),
		value.ColumnOf(rows, func(r *r) *time.Time { return r.Started }), value.ColumnOf(rows, func(r *r) *time.Time { return r.Ended }),
		value.ColumnOf(rows, func(r *r) bool { return r.Closed }))
}

// segmentOfRun is a segment of a run.
type segmentOfRun struct {
	*reconcile.StoredRun
	reconcile.Segment
}

// segmentColumns are the arguments that make the segments of the runs exactly the
// given ones.
func segmentColumns(runs []reconcile.RunKey, list []segmentOfRun) []any {
	type s = segmentOfRun
	texts := func(of func(*s) string) []string { return value.ColumnOf(list, of) }
	return append(append(runKeyColumns(runs), runKeyColumns(value.ColumnOf(list, func(s *s) reconcile.RunKey { return s.RunKey }))...),
		texts(func(s *s) string { return value.ValidText(s.Node) }), texts(func(s *s) string { return value.ValidText(s.GPUType) }),
		value.ColumnOf(list, func(s *s) time.Time { return s.Start }), value.ColumnOf(list, func(s *s) *time.Time { return value.NullIfZero(s.Stop) }),
		value.ColumnOf(list, func(s *s) int32 { return int32(s.DeviceCount) }), value.ColumnOf(list, func(s *s) int32 { return int32(s.PercentOfGPU) }),
		texts(func(s *s) string { return s.User }), texts(func(s *s) string { return s.Account }), texts(func(s *s) string { return s.Partition }))
}
