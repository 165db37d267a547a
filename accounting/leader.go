package accounting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/bridge"
	"fairbridge/sql"
)

var qLead, qHolder, qResign, qFence = sql.Query("lead"), sql.Query("holder"), sql.Query("resign"), sql.Query("fence")

// Lead takes or renews the leadership of the cluster for ttl, by the clock of
// the database. The epoch grows whenever the lease changes hands or had run
// out. me must be unique among living daemons: two under one name would share
// a lease.
func (d *DB) Lead(ctx context.Context, cluster, me string, ttl time.Duration) (epoch int64, holder string, leader bool, err error) {
	err = d.pool.QueryRow(ctx, qLead, cluster, me, ttl.Microseconds()).Scan(&epoch)
	if err == nil {
		return epoch, me, true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return 0, "", false, explain("leading cluster "+cluster, err)
	}
	err = d.pool.QueryRow(ctx, qHolder, cluster).Scan(&holder, &epoch)
	return epoch, holder, false, explain("asking who leads cluster "+cluster, err)
}

// Resign gives the lease back, if it is ours, so that another daemon need not
// wait for its end.
func (d *DB) Resign(ctx context.Context, cluster, me string) error {
	_, err := d.pool.Exec(ctx, qResign, cluster, me)
	return explain("resigning from cluster "+cluster, err)
}

var qClock = sql.Query("clock")

// Clock returns the time by the clock of the database.
func (d *DB) Clock(ctx context.Context) (now time.Time, err error) {
	err = d.pool.QueryRow(ctx, qClock).Scan(&now)
	return now, explain("reading the clock of the database", err)
}

// fence makes the transaction fail unless the epoch leads the cluster, and
// keeps it leading until the transaction ends.
func fence(ctx context.Context, tx pgx.Tx, cluster string, epoch int64) error {
	var now int64
	var holder string
	var alive bool
	err := tx.QueryRow(ctx, qFence, cluster).Scan(&now, &holder, &alive)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: nobody leads cluster %s", bridge.ErrFenced, cluster)
	case err != nil:
		return err
	case now != epoch:
		return fmt.Errorf("%w: %s under epoch %d, ours was %d", bridge.ErrFenced, holder, now, epoch)
	case !alive:
		return fmt.Errorf("%w: our lease of epoch %d ran out", bridge.ErrFenced, epoch)
	}
	return nil
}
