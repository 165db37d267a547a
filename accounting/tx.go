package accounting

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// maxAttempts bounds how often a transaction is tried that Postgres rolled back
// because of others.
const maxAttempts = 3

// RunTx runs f in one transaction, all or nothing. f may run more than once.
func (d *DB) RunTx(ctx context.Context, doing string, f func(pgx.Tx) error) error {
	var err error
	for range maxAttempts {
		err = pgx.BeginFunc(ctx, d.Pool, f)
		if err == nil || !isRetryable(err) {
			break
		}
	}
	return WrapError(doing, err)
}

// RunReadTx runs f, which only reads, on one consistent state of the database.
func (d *DB) RunReadTx(ctx context.Context, doing string, f func(pgx.Tx) error) error {
	return WrapError(doing, pgx.BeginTxFunc(ctx, d.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f))
}

// raiseTimeLimitsSQL lifts the time limits of a cycle for one transaction.
const raiseTimeLimitsSQL = "set local statement_timeout = '10min'; set local jit = off"

// RunLongTx is Tx for what may take minutes: the hour of a large site is millions
// of readings.
func (d *DB) RunLongTx(ctx context.Context, doing string, f func(pgx.Tx) error) error {
	return d.RunTx(ctx, doing, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, raiseTimeLimitsSQL); err != nil {
			return err
		}
		return f(tx)
	})
}

// RunLongSnapshotTx runs f on one consistent state of the database and a
// connection that is held; it may take minutes.
func RunLongSnapshotTx(ctx context.Context, conn *pgxpool.Conn, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, raiseTimeLimitsSQL); err != nil {
			return err
		}
		return f(tx)
	})
}

// maxExecRounds bounds how often ExecUntilNone runs its statement. What is left
// then goes the next time.
const maxExecRounds = 1000

// ExecUntilNone runs a statement that touches some thousand rows, so that no
// lock is held for long, until it finds no more. It returns how many rows it
// touched.
func (d *DB) ExecUntilNone(ctx context.Context, query string, args ...any) (rows int64, err error) {
	for range maxExecRounds {
		tag, err := d.Exec(ctx, query, args...)
		rows += tag.RowsAffected()
		if err != nil || tag.RowsAffected() == 0 {
			return rows, err
		}
	}
	return rows, nil
}

// Querier runs queries: a pool, a connection or a transaction.
type Querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// CollectRows runs a query and returns its rows, each as scan reads it.
func CollectRows[T any](ctx context.Context, q Querier, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}
