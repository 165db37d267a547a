package accounting

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/bridge/push"
	"fairbridge/sql"
)

var qExpiryBeat, qExpiryLast = sql.Query("expiry_beat"), sql.Query("expiry_last")

// Beat notes that what ends the leavings of a dead daemon runs, and returns who
// leads the cluster, "" for nobody, and how long no daemon has led it, by the
// clock of the database.
func (d *DB) Beat(ctx context.Context, cluster string) (leader string, alone time.Duration, err error) {
	var micro int64
	err = d.pool.QueryRow(ctx, qExpiryBeat, cluster, push.ExpirySuffix).Scan(&micro, &leader)
	return leader, time.Duration(micro) * time.Microsecond, explain("noting that expire runs for cluster "+cluster, err)
}

// LastExpiry returns how long ago Beat was last called for the cluster, by the
// clock of the database; ok is false when it never was.
func (d *DB) LastExpiry(ctx context.Context, cluster string) (ago time.Duration, ok bool, err error) {
	var micro int64
	err = d.pool.QueryRow(ctx, qExpiryLast, cluster).Scan(&micro)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return time.Duration(micro) * time.Microsecond, err == nil, explain("asking when expire last ran for cluster "+cluster, err)
}
