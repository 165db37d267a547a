package accounting

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

var (
	qJobsPast, qFinished = sql.Query("jobs_past"), sql.Query("finished")
	qMemo                = sql.Query("memo")
)

// maxSamples bounds how many finished jobs a snapshot carries.
const maxSamples = 2000

// Past returns usage and per-job history as of now, from one consistent state
// of the database.
func (d *DB) Past(ctx context.Context, cluster string, now time.Time) (*bridge.Past, error) {
	out := &bridge.Past{}
	err := pgx.BeginTxFunc(ctx, d.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var err error
		if out.Users, out.Accounts, err = d.usage(ctx, tx, cluster, now); err != nil {
			return err
		}
		if out.Jobs, err = jobsPast(ctx, tx, cluster); err != nil {
			return err
		}
		if out.Samples, err = finished(ctx, tx, cluster); err != nil {
			return err
		}
		m, err := d.model(ctx, tx, cluster)
		if m.foresight != nil {
			out.Left, out.Speeds = m.left, m.foresight.model.Speeds
		}
		return err
	})
	if err != nil {
		return nil, explain("reading usage history", err)
	}
	return out, nil
}

// jobsPast returns the history of listed jobs that ran before.
func jobsPast(ctx context.Context, tx pgx.Tx, cluster string) (map[int64]bridge.JobPast, error) {
	rows, err := tx.Query(ctx, qJobsPast, cluster)
	if err != nil {
		return nil, err
	}
	out := map[int64]bridge.JobPast{}
	var job int64
	var arrive time.Time
	var first, last *time.Time
	var attained float64
	var stops []time.Time
	_, err = pgx.ForEachRow(rows, []any{&job, &arrive, &first, &last, &attained, &stops}, func() error {
		p := bridge.JobPast{Arrive: arrive.UTC(), FirstStart: orZero(first), LastStop: orZero(last), Attained: policy.GPUSeconds(attained)}
		for _, t := range stops {
			p.Preempted = append(p.Preempted, t.UTC())
		}
		out[job] = p
		return nil
	})
	return out, err
}

func finished(ctx context.Context, tx pgx.Tx, cluster string) ([]policy.Sample, error) {
	rows, err := tx.Query(ctx, qFinished, cluster, maxSamples)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (s policy.Sample, err error) {
		var ran, service float64
		err = r.Scan(&s.GPUs, &ran, &service)
		s.Ran, s.Service = time.Duration(ran*float64(time.Second)), policy.GPUSeconds(service)
		return s, err
	})
}

// Memo implements bridge.History.
func (d *DB) Memo(ctx context.Context, cluster, partition string) (m bridge.Memo, err error) {
	var text *string
	var n int64
	err = d.pool.QueryRow(ctx, qMemo, cluster, partition).Scan(&text, &n, &m.Policy, &m.Params)
	if errors.Is(err, pgx.ErrNoRows) {
		return bridge.Memo{}, nil
	}
	if err != nil {
		return bridge.Memo{}, explain("reading the last cycle", err)
	}
	if text != nil {
		m.Bytes = []byte(*text)
	}
	m.Seq = uint64(n)
	return m, nil
}
