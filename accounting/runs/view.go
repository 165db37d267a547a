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
	qWatchLock, qWatchSet   = sql.Query("watch_lock"), sql.Query("watch_set")
	qRunsKnown, qSegmentsOf = sql.Query("runs_known"), sql.Query("segments_of")
	qRunsPut, qSegmentsPut  = sql.Query("runs_put"), sql.Query("segments_put")
	qRunsClose              = sql.Query("runs_close")
)

// wrongClock is how far after a believed view the last one may be dated without
// being wrong: more than clocks may differ.
const wrongClock = 5 * time.Minute

// Record stores what the view shows of runs and of the GPUs they hold. The view
// is one that was judged: its time is trusted. Only what changed is written, and
// recording a view twice changes nothing. One older than the last is bridge.ErrOlder,
// unless the last is dated so much later that its clock was wrong: then time goes
// on from this view. Runs that are missing from a full list are closed when they
// were last seen, until they show up again.
func (s *Store) Record(ctx context.Context, v *slurm.View) error {
	return s.DB.Tx(ctx, "recording runs", func(tx pgx.Tx) error {
		at, before, err := lastViews(ctx, tx, v.Cluster)
		healed := false // sums of days reached into a future that was not
		switch {
		case err != nil:
			return err
		case at.Sub(v.At) > wrongClock:
			before, healed = v.At, true
		case v.At.Before(at):
			return fmt.Errorf("%w: it is of %s, the last of %s", bridge.ErrOlder, v.At.UTC().Format(time.RFC3339), at.UTC().Format(time.RFC3339))
		case at.Before(v.At):
			before = at
		}
		past, err := knownRuns(ctx, tx, v)
		if err != nil {
			return err
		}
		rewrote, err := writeChanges(ctx, tx, v, reconcile.Compare(v, past, before))
		if err != nil {
			return err
		}
		var full *time.Time
		if v.Full {
			full = &v.At
		}
		_, err = tx.Exec(ctx, qWatchSet, v.Cluster, v.At, full, v.Release, v.API, rewrote || healed)
		return err
	})
}

// lastViews waits for other writers and returns the times of the last view and the one before it; zero when
// there is none.
func lastViews(ctx context.Context, tx pgx.Tx, cluster string) (at, before time.Time, err error) {
	err = tx.QueryRow(ctx, qWatchLock, cluster).Scan(&at, &before)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, time.Time{}, nil
	}
	return at, before, err
}

func knownRuns(ctx context.Context, tx pgx.Tx, v *slurm.View) ([]reconcile.Row, error) {
	ids := make([]int64, len(v.Jobs))
	for i := range v.Jobs {
		ids[i] = v.Jobs[i].ID
	}
	return accounting.Collect(ctx, tx, func(r pgx.CollectableRow) (k reconcile.Row, err error) {
		err = r.Scan(&k.Job, &k.Submit, &k.Restarts, &k.Arrive, &k.SLUID, &k.User, &k.Started, &k.Closed, &k.FromDBD, &k.Digest)
		return k, err
	}, qRunsKnown, v.Cluster, ids)
}

// writeChanges stores the changes and reports whether segments were written that
// ended long ago. Endings come first: a requeued run ends before the next one is
// written.
func writeChanges(ctx context.Context, tx pgx.Tx, v *slurm.View, c reconcile.Changes) (rewrote bool, err error) {
	if list := c.Endings; len(list) > 0 {
		for i := range list {
			rewrote = rewrote || isStable(list[i].At, v.At)
		}
		args := append([]any{v.Cluster, v.At}, keyColumns(value.Column(list, func(e *reconcile.Ending) reconcile.Key { return e.Key }))...)
		args = append(args, value.Column(list, func(e *reconcile.Ending) time.Time { return e.At }), value.Column(list, func(e *reconcile.Ending) string { return e.State }))
		if _, err := tx.Exec(ctx, qRunsClose, args...); err != nil {
			return false, err
		}
	}
	if len(c.Runs) == 0 {
		return rewrote, nil
	}
	rows := value.Column(c.Runs, func(r *reconcile.SeenRun) reconcile.Row { return r.Row })
	keys := value.Column(rows, func(r *reconcile.Row) reconcile.Key { return r.Key })
	old, err := segmentsOf(ctx, tx, v.Cluster, keys)
	if err != nil {
		return false, err
	}
	var segments []runSegment
	for i := range c.Runs {
		for _, s := range reconcile.SegmentsOfJob(old[keys[i]], c.Runs[i].Job, v) {
			segments = append(segments, runSegment{&rows[i], s})
		}
	}
	rewrote = rewrote || anyStable(old, segments, v.At)
	if _, err := tx.Exec(ctx, qSegmentsPut, append([]any{v.Cluster}, segmentColumns(keys, segments)...)...); err != nil {
		return false, err
	}
	args := append([]any{v.Cluster, v.At}, rowColumns(rows)...)
	_, err = tx.Exec(ctx, qRunsPut, append(args, value.Column(rows, func(r *reconcile.Row) int64 { return r.Digest }))...)
	return rewrote, err
}

// anyStable reports whether any of the segments, old or new, was expected to stay.
func anyStable(old map[reconcile.Key][]reconcile.Segment, segments []runSegment, now time.Time) bool {
	for _, list := range old {
		if slices.ContainsFunc(list, func(s reconcile.Segment) bool { return isStable(s.Stop, now) }) {
			return true
		}
	}
	return slices.ContainsFunc(segments, func(s runSegment) bool { return isStable(s.Stop, now) })
}

// stableAfter is the age from which segments are expected to stay as they are.
const stableAfter = 12 * time.Hour

// isStable reports whether a segment that stopped at t was expected to stay.
func isStable(t, now time.Time) bool { return !t.IsZero() && now.Sub(t) > stableAfter }

// segmentsOf returns the segments of runs, by run.
func segmentsOf(ctx context.Context, tx pgx.Tx, cluster string, runs []reconcile.Key) (map[reconcile.Key][]reconcile.Segment, error) {
	rows, err := tx.Query(ctx, qSegmentsOf, append([]any{cluster}, keyColumns(runs)...)...)
	if err != nil {
		return nil, err
	}
	out := map[reconcile.Key][]reconcile.Segment{}
	var key reconcile.Key
	var s reconcile.Segment
	var stop *time.Time
	_, err = pgx.ForEachRow(rows, []any{&key.Job, &key.Submit, &key.Restarts, &s.Node, &s.GPU, &s.Count, &s.Part, &s.Start, &stop}, func() error {
		s.Stop = value.UTC(stop)
		out[key] = append(out[key], s)
		return nil
	})
	return out, err
}
