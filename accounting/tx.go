// Package accounting is the database that keeps what fairbridge knows of the past:
// its connections, its schema, its transactions, and what can be wrong with it. What
// is kept there is asked of the packages below, one a subject; package stores opens
// them all.
package accounting

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

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

// DSNVariable is the environment variable that holds the DSN when the configuration
// names none.
const DSNVariable = "FAIRBRIDGE_DB"

// errNoDSN says how to name the database.
var errNoDSN = errors.New("no database is named: set " + DSNVariable + " or database.dsn_file, for example to postgres://fairbridge@/fairbridge?host=/run/postgresql")

// readDSN returns the connection string: the file's, the configured one, or the
// environment's.
func (c Config) readDSN() (string, error) {
	if c.DSNFile != "" {
		b, err := os.ReadFile(c.DSNFile)
		if err != nil {
			return "", fmt.Errorf("reading the database connection string: %w", err)
		}
		if s := strings.TrimSpace(string(b)); s != "" {
			return s, nil
		}
		return "", fmt.Errorf("reading the database connection string: %s is empty", c.DSNFile)
	}
	for _, s := range []string{c.DSN, os.Getenv(DSNVariable)} {
		if s = strings.TrimSpace(s); s != "" {
			return s, nil
		}
	}
	return "", errNoDSN
}

// The limits of one statement. A slow database must not stall a cycle past its
// deadline.
const (
	connectTimeout   = 5 * time.Second
	statementTimeout = "10s"
	lockTimeout      = "2s"
	idleInTxTimeout  = "10s"
)

// poolConfig returns the settings of the connections. The parser's own error quotes
// the connection string, so it is not passed on.
func (c Config) poolConfig() (*pgxpool.Config, error) {
	dsn, err := c.readDSN()
	if err != nil {
		return nil, err
	}
	pc, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the database connection string cannot be read: want postgres://user@host/database or host=… dbname=… (its text is not shown, it may hold a password)")
	}
	pc.MaxConns = c.MaxConns
	if pc.MaxConns <= 0 {
		pc.MaxConns = 6
	}
	cc := pc.ConnConfig
	if cc.ConnectTimeout == 0 || cc.ConnectTimeout > connectTimeout {
		cc.ConnectTimeout = connectTimeout
	}
	for k, v := range map[string]string{
		"application_name": "fairbridge", "timezone": "UTC", "statement_timeout": statementTimeout,
		"lock_timeout": lockTimeout, "idle_in_transaction_session_timeout": idleInTxTimeout,
	} {
		if cc.RuntimeParams[k] == "" {
			cc.RuntimeParams[k] = v
		}
	}
	cc.RuntimeParams["synchronous_commit"] = "on" // what was committed is there, whatever server and role are set to
	if c.StatementTimeout > 0 {
		cc.RuntimeParams["statement_timeout"] = strconv.FormatInt(c.StatementTimeout.Milliseconds(), 10)
	}
	return pc, nil
}

// Config says where the database is.
type Config struct {
	// DSN is a postgres URL or a key=value connection string. It may hold a
	// password and is never printed.
	DSN string
	// DSNFile names a file that holds the DSN, read once at Open.
	DSNFile string
	// MaxConns is the most connections at once; 0: 6, of which a cycle needs two while others of the daemon work for long.
	MaxConns int32
	// StatementTimeout is the longest that one statement may take, whatever the DSN says; 0: that of the
	// DSN, or 10 s.
	StatementTimeout time.Duration
}

// DB is the database: a pool of connections that knows its schema. It is safe
// for concurrent use.
type DB struct{ *pgxpool.Pool }

// Open prepares connections. It does not wait for the database: that is
// Status, which also says whether the schema fits this binary.
func Open(ctx context.Context, c Config) (*DB, error) {
	pc, err := c.poolConfig()
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, WrapError("opening the database", err)
	}
	return &DB{pool}, nil
}
