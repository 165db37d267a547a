package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/runs/reconcile"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/sql"
)

var (
	qWatchLock, qWatchSet   = sql.QueryText("watch_lock"), sql.QueryText("watch_set")
	qRunsKnown, qSegmentsOf = sql.QueryText("runs_known"), sql.QueryText("segments_of")
	qRunsPut, qSegmentsPut  = sql.QueryText("runs_put"), sql.QueryText("segments_put")
	qRunsClose              = sql.QueryText("runs_close")
)

// maxClockDifference is how far after a believed view the last one may be dated without
// being wrong: more than clocks may differ.
const maxClockDifference = 5 * time.Minute

// RecordView stores what the view shows of runs and of the GPUs they hold. The view
// is one that was judged: its time is trusted. Only what changed is written, and
// recording a view twice changes nothing. One older than the last is bridge.ErrOlder,
// unless the last is dated so much later that its clock was wrong: then time goes
// on from this view. Runs that are missing from a full list are closed when they
// were last seen, until they show up again.
func (s *Store) RecordView(ctx context.Context, v *slurm.View) error {
	return s.DB.RunTx(ctx, "recording runs", func(tx pgx.Tx) error {
		at, before, err := lockAndReadViewTimes(ctx, tx, v.Cluster)
		healed := false // sums of days reached into a future that was not
		switch {
		case err != nil:
			return err
		case at.Sub(v.At) > maxClockDifference:
			before, healed = v.At, true
		case v.At.Before(at):
			return fmt.Errorf("%w: it is of %s, the last of %s", bridge.ErrOlderView, v.At.UTC().Format(time.RFC3339), at.UTC().Format(time.RFC3339))
		case at.Before(v.At):
			before = at
		}
		past, err := readKnownRuns(ctx, tx, v)
		if err != nil {
			return err
		}
		rewrote, err := writeChanges(ctx, tx, v, reconcile.CompareView(v, past, before))
		if err != nil {
			return err
		}
		var full *time.Time
		if v.IsFullRead {
			full = &v.At
		}
		_, err = tx.Exec(ctx, qWatchSet, v.Cluster, v.At, full, v.Release, v.APIVersion, rewrote || healed)
		return err
	})
}

// lockAndReadViewTimes waits for other writers and returns the times of the last view and the one before it; zero when
// there is none.
func lockAndReadViewTimes(ctx context.Context, tx pgx.Tx, cluster string) (at, before time.Time, err error) {
	err = tx.QueryRow(ctx, qWatchLock, cluster).Scan(&at, &before)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, time.Time{}, nil
	}
	return at, before, err
}

func readKnownRuns(ctx context.Context, tx pgx.Tx, v *slurm.View) ([]reconcile.StoredRun, error) {
	ids := make([]int64, len(v.Jobs))
	for i := range v.Jobs {
		ids[i] = v.Jobs[i].ID
	}
	return accounting.CollectRows(ctx, tx, func(r pgx.CollectableRow) (k reconcile.StoredRun, err error) {
		err = r.Scan(&k.Job, &k.Submit, &k.Restarts, &k.Arrive, &k.SLUID, &k.User, &k.Started, &k.Closed, &k.FromDBD, &k.Digest)
		return k, err
	}, qRunsKnown, v.Cluster, ids)
}

// writeChanges stores the changes and reports whether segments were written that
// ended long ago. Endings come first: a requeued run ends before the next one is
// written.
func writeChanges(ctx context.Context, tx pgx.Tx, v *slurm.View, c reconcile.ViewChanges) (rewrote bool, err error) {
	if list := c.Endings; len(list) > 0 {
		for i := range list {
			rewrote = rewrote || isStableSegment(list[i].At, v.At)
		}
		args := append([]any{v.Cluster, v.At}, runKeyColumns(value.ColumnOf(list, func(e *reconcile.InferredEnding) reconcile.RunKey { return e.RunKey }))...)
		args = append(args, value.ColumnOf(list, func(e *reconcile.InferredEnding) time.Time { return e.At }), value.ColumnOf(list, func(e *reconcile.InferredEnding) string { return e.State }))
		if _, err := tx.Exec(ctx, qRunsClose, args...); err != nil {
			return false, err
		}
	}
	if len(c.Runs) == 0 {
		return rewrote, nil
	}
	rows := value.ColumnOf(c.Runs, func(r *reconcile.SeenRun) reconcile.StoredRun { return r.StoredRun })
	keys := value.ColumnOf(rows, func(r *reconcile.StoredRun) reconcile.RunKey { return r.RunKey })
	old, err := readSegmentsByRun(ctx, tx, v.Cluster, keys)
	if err != nil {
		return false, err
	}
	var segments []segmentOfRun
	for i := range c.Runs {
		for _, s := range reconcile.SegmentsOfJob(old[keys[i]], c.Runs[i].Job, v) {
			segments = append(segments, segmentOfRun{&rows[i], s})
		}
	}
	rewrote = rewrote || hasStableSegment(old, segments, v.At)
	if _, err := tx.Exec(ctx, qSegmentsPut, append([]any{v.Cluster}, segmentColumns(keys, segments)...)...); err != nil {
		return false, err
	}
	args := append([]any{v.Cluster, v.At}, runColumns(rows)...)
	_, err = tx.Exec(ctx, qRunsPut, append(args, value.ColumnOf(rows, func(r *reconcile.StoredRun) int64 { return r.Digest }))...)
	return rewrote, err
}

// hasStableSegment reports whether any of the segments, old or new, was expected to stay.
func hasStableSegment(old map[reconcile.RunKey][]reconcile.Segment, segments []segmentOfRun, now time.Time) bool {
	for _, list := range old {
		if slices.ContainsFunc(list, func(s reconcile.Segment) bool { return isStableSegment(s.Stop, now) }) {
			return true
		}
	}
	return slices.ContainsFunc(segments, func(s segmentOfRun) bool { return isStableSegment(s.Stop, now) })
}

// minStableAge is the age from which segments are expected to stay as they are.
const minStableAge = 12 * time.Hour

// isStableSegment reports whether a segment that stopped at t was expected to stay.
func isStableSegment(t, now time.Time) bool { return !t.IsZero() && now.Sub(t) > minStableAge }

// readSegmentsByRun returns the segments of runs, by run.
func readSegmentsByRun(ctx context.Context, tx pgx.Tx, cluster string, runs []reconcile.RunKey) (map[reconcile.RunKey][]reconcile.Segment, error) {
	rows, err := tx.Query(ctx, qSegmentsOf, append([]any{cluster}, runKeyColumns(runs)...)...)
	if err != nil {
		return nil, err
	}
	out := map[reconcile.RunKey][]reconcile.Segment{}
	var key reconcile.RunKey
	var s reconcile.Segment
	var stop *time.Time
	_, err = pgx.ForEachRow(rows, []any{&key.Job, &key.Submit, &key.Restarts, &s.Node, &s.GPUType, &s.DeviceCount, &s.PercentOfGPU, &s.Start, &stop}, func() error {
		s.Stop = value.TimeOrZero(stop)
		out[key] = append(out[key], s)
		return nil
	})
	return out, err
}

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
