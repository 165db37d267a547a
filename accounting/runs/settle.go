package runs

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/sql"
)

var (
	qRunsOf, qRunsSettle, qRunsGone = sql.Query("runs_of"), sql.Query("runs_settle"), sql.Query("runs_gone")
	qWatchRewrote                   = sql.Query("watch_rewrote")
)

// Settlement is what slurmdbd's rows are stored with.
type Settlement struct {
	Cluster string
	Now     time.Time // of the change
	// Since and Through are the times of which Rows holds every row; zero when
	// that is not known, as with a file of sacct's.
	Since, Through time.Time
	Rows           []slurmdb.Job
	// Types is the type of the GPUs of nodes that have only one, for sites whose
	// slurmdbd counts GPUs without their type.
	Types map[string]string
}

// Settled counts what Settle did.
type Settled struct {
	Rows     int `json:"rows"`     // read, those of runs that go on included
	Runs     int `json:"runs"`     // that are over
	Changed  int `json:"changed"`  // runs that did not stand so
	New      int `json:"new"`      // of the changed: nobody saw them before
	Replaced int `json:"replaced"` // runs that polls took for others than they were
}

// Add adds up counts.
func (s *Settled) Add(o Settled) {
	s.Rows, s.Runs, s.Changed, s.New, s.Replaced = s.Rows+o.Rows, s.Runs+o.Runs, s.Changed+o.Changed, s.New+o.New, s.Replaced+o.Replaced
}

// Settle makes runs that are over stand as slurmdbd has them, all or nothing.
// What polls know better stays: the devices on each node, the moments of a
// suspension. Doing it again changes no row, and the order of calls does not
// matter. All rows of one job that are at hand belong into one call.
func (s *Store) Settle(ctx context.Context, in Settlement) (Settled, error) {
	var out Settled
	err := s.DB.Tx(ctx, "storing slurmdbd's records", func(tx pgx.Tx) error {
		out = Settled{Rows: len(in.Rows)}
		if _, _, err := watched(ctx, tx, in.Cluster); err != nil { // polls wait
			return err
		}
		list := toldRuns(in.Rows)
		past, segs, err := jobsKnown(ctx, tx, in.Cluster, list)
		if err != nil {
			return err
		}
		var w settling
		for from := 0; from < len(list); {
			to, job := from+1, list[from].first().ID
			for to < len(list) && list[to].first().ID == job {
				to++
			}
			a, err := adopt(list[from:to], past[job], segs, in.Types)
			if err != nil {
				return err
			}
			w.add(a, past[job], segs)
			from = to
		}
		out.Runs, out.Changed, out.New, out.Replaced = len(list), w.changed, w.fresh, len(w.gone.job)
		return w.write(ctx, tx, in)
	})
	return out, err
}

// jobsKnown returns all known runs of the jobs told, by job, and their segments.
func jobsKnown(ctx context.Context, tx pgx.Tx, cluster string, list []told) (map[int64][]*rec, map[runKey][]segment, error) {
	var ids []int64
	for i := range list {
		ids = append(ids, list[i].first().ID)
	}
	rows, err := tx.Query(ctx, qRunsOf, cluster, slices.Compact(ids))
	if err != nil {
		return nil, nil, err
	}
	past, keys := map[int64][]*rec{}, keys{}
	var r rec
	var limit int64
	_, err = pgx.ForEachRow(rows, []any{&r.job, &r.submit, &r.restarts, &r.arrive, &r.sluid, &r.name, &r.user, &r.account, &r.qos, &r.partition, &r.state,
		&r.reason, &r.arrayJob, &r.arrayTask, &limit, &r.gpus, &r.started, &r.ended, &r.closed, &r.exact, &r.authority}, func() error {
		k := r
		k.limit = time.Duration(limit) * time.Second
		past[k.job] = append(past[k.job], &k)
		keys.add(k.runKey)
		r = rec{}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	segs, err := segmentsKnown(ctx, tx, cluster, keys)
	return past, segs, err
}
