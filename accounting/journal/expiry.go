package journal

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge/push"
	"fairbridge/sql"
)

var qExpiryBeat, qExpiryLast = sql.QueryText("expiry_beat"), sql.QueryText("expiry_last")

// NoteExpirerRun notes that what ends the leavings of a dead daemon runs, and returns who
// leads the cluster, "" for nobody, and how long no daemon has led it, by the
// clock of the database.
func (s *Store) NoteExpirerRun(ctx context.Context, cluster string) (leader string, alone time.Duration, err error) {
	var micro int64
	err = s.DB.QueryRow(ctx, qExpiryBeat, cluster, push.ExpirerNameSuffix).Scan(&micro, &leader)
	return leader, time.Duration(micro) * time.Microsecond, accounting.WrapError("noting that expire runs for cluster "+cluster, err)
}

// TimeSinceExpirerRan returns how long ago Beat was last called for the cluster, by the
// clock of the database; ok is false when it never was.
func (s *Store) TimeSinceExpirerRan(ctx context.Context, cluster string) (ago time.Duration, ok bool, err error) {
	var micro int64
	err = s.DB.QueryRow(ctx, qExpiryLast, cluster).Scan(&micro)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return time.Duration(micro) * time.Microsecond, err == nil, accounting.WrapError("asking when expire last ran for cluster "+cluster, err)
}
