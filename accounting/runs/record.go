package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
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
		at, before, err := watched(ctx, tx, v.Cluster)
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
		rewrote, err := write(ctx, tx, v, compare(v, past, before))
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

// watched returns the times of the last view and the one before it; zero when
// there is none.
func watched(ctx context.Context, tx pgx.Tx, cluster string) (at, before time.Time, err error) {
	err = tx.QueryRow(ctx, qWatchLock, cluster).Scan(&at, &before)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, time.Time{}, nil
	}
	return at, before, err
}

func knownRuns(ctx context.Context, tx pgx.Tx, v *slurm.View) ([]known, error) {
	ids := make([]int64, len(v.Jobs))
	for i := range v.Jobs {
		ids[i] = v.Jobs[i].ID
	}
	return accounting.Collect(ctx, tx, func(r pgx.CollectableRow) (k known, err error) {
		err = r.Scan(&k.job, &k.submit, &k.restarts, &k.arrive, &k.sluid, &k.user, &k.started, &k.closed, &k.settled, &k.digest)
		return k, err
	}, qRunsKnown, v.Cluster, ids)
}

// write stores the changes and reports whether segments were written that
// ended long ago. Endings come first: a requeued run ends before the next one
// is written.
func write(ctx context.Context, tx pgx.Tx, v *slurm.View, c changes) (rewrote bool, err error) {
	if len(c.endings) > 0 {
		e := endingColumns(c.endings)
		for _, t := range e.at {
			rewrote = rewrote || longAgo(t, v.At)
		}
		if _, err := tx.Exec(ctx, qRunsClose, v.Cluster, v.At, e.job, e.submit, e.restarts, e.at, e.state); err != nil {
			return false, err
		}
	}
	if len(c.runs) == 0 {
		return rewrote, nil
	}
	k := keyColumns(c.runs)
	old, err := segmentsKnown(ctx, tx, v.Cluster, k)
	if err != nil {
		return false, err
	}
	for _, list := range old {
		for _, s := range list {
			rewrote = rewrote || longAgo(s.stop, v.At)
		}
	}
	s := segmentColumns(c.runs, old, v)
	for _, t := range s.stopped {
		rewrote = rewrote || longAgo(value.UTC(t), v.At)
	}
	if _, err := tx.Exec(ctx, qSegmentsPut, v.Cluster, k.job, k.submit, k.restarts, s.job, s.submit, s.restarts,
		s.node, s.gpu, s.started, s.stopped, s.count, s.part, s.user, s.account, s.partition); err != nil {
		return false, err
	}
	r := runColumns(c.runs)
	_, err = tx.Exec(ctx, qRunsPut, v.Cluster, v.At, k.job, k.submit, k.restarts, r.arrive, r.sluid, r.name, r.user, r.account, r.qos, r.partition,
		r.arrayJob, r.arrayTask, r.state, r.reason, r.limit, r.gpus, r.started, r.ended, r.closed, r.digest)
	return rewrote, err
}

// settled is the age from which segments are expected to stay as they are.
const settled = 12 * time.Hour

// longAgo reports whether a segment that stopped at t was expected to stay.
func longAgo(t, now time.Time) bool { return !t.IsZero() && now.Sub(t) > settled }

func segmentsKnown(ctx context.Context, tx pgx.Tx, cluster string, k keys) (map[runKey][]segment, error) {
	rows, err := tx.Query(ctx, qSegmentsOf, cluster, k.job, k.submit, k.restarts)
	if err != nil {
		return nil, err
	}
	out := map[runKey][]segment{}
	var key runKey
	var s segment
	var stop *time.Time
	_, err = pgx.ForEachRow(rows, []any{&key.job, &key.submit, &key.restarts, &s.node, &s.gpu, &s.count, &s.part, &s.start, &stop}, func() error {
		s.stop = value.UTC(stop)
		out[key] = append(out[key], s)
		return nil
	})
	return out, err
}
