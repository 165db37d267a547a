package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/sql"
)

var qLead, qHolder, qResign, qFence = sql.QueryText("lead"), sql.QueryText("holder"), sql.QueryText("resign"), sql.QueryText("fence")

// Lead takes or renews the leadership of the cluster for ttl, by the clock of
// the database. The epoch grows whenever the lease changes hands or had run
// out. me must be unique among living daemons: two under one name would share
// a lease.
func (s *Store) Lead(ctx context.Context, cluster, me string, ttl time.Duration) (epoch int64, holder string, leader bool, err error) {
	err = s.DB.QueryRow(ctx, qLead, cluster, me, ttl.Microseconds()).Scan(&epoch)
	if err == nil {
		return epoch, me, true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return 0, "", false, accounting.WrapError("leading cluster "+cluster, err)
	}
	err = s.DB.QueryRow(ctx, qHolder, cluster).Scan(&holder, &epoch)
	return epoch, holder, false, accounting.WrapError("asking who leads cluster "+cluster, err)
}

// Resign gives the lease back, if it is ours, so that another daemon need not
// wait for its end.
func (s *Store) Resign(ctx context.Context, cluster, me string) error {
	_, err := s.DB.Exec(ctx, qResign, cluster, me)
	return accounting.WrapError("resigning from cluster "+cluster, err)
}

// RequireLeader makes the transaction fail unless the epoch leads the cluster, and
// keeps it leading until the transaction ends.
func RequireLeader(ctx context.Context, tx pgx.Tx, cluster string, epoch int64) error {
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
