package accounting

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"fairbridge/sql"
)

// schemaVersionTable is where goose notes what was applied.
const schemaVersionTable = "fairbridge.schema_version"

// Migrate brings the schema to the version of this binary, each migration in a
// transaction of its own, and returns how many were applied. Two at once do no
// harm. A schema that this binary does not know is left alone: ErrSchemaNewer,
// ErrSchemaUnreleased.
func (d *DB) Migrate(ctx context.Context) (applied int, err error) {
	if _, err := d.Status(ctx); err != nil && !errors.Is(err, ErrNoSchema) && !errors.Is(err, ErrNotMigrated) {
		return 0, err
	}
	if _, err := d.Pool.Exec(ctx, "create schema if not exists fairbridge"); err != nil {
		return 0, WrapError("making schema fairbridge", err)
	}
	err = d.runGoose(func(p *goose.Provider) error {
		done, err := p.Up(ctx)
		applied = len(done)
		return err
	})
	return applied, WrapError("migrating the database", err)
}

// runGoose runs f with migrations on a connection of its own, without the time
// limits of the daemon: a migration of years of history takes its time.
func (d *DB) runGoose(f func(*goose.Provider) error) error {
	c := d.Pool.Config().ConnConfig.Copy()
	delete(c.RuntimeParams, "statement_timeout")
	delete(c.RuntimeParams, "idle_in_transaction_session_timeout")
	db := stdlib.OpenDB(*c)
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, sql.Migrations(),
		goose.WithTableName(schemaVersionTable), goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	return f(p)
}

// GrantReportRole makes or refreshes the read-only role fairbridge_report, which
// needs the right to create roles. Roles belong to all databases of a server:
// where another database's are being made at the same moment it is done again.
func (d *DB) GrantReportRole(ctx context.Context) error {
	var err error
	for try := range time.Duration(20) {
		time.Sleep(try * 5 * time.Millisecond)
		err = pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
			_, err := tx.Conn().PgConn().Exec(ctx, sql.RoleText("report")).ReadAll()
			return err
		})
		if !isConcurrentUpdate(err) {
			break
		}
	}
	return WrapError("making role fairbridge_report", err)
}

// isConcurrentUpdate reports whether Postgres says that somebody else changed the same
// rows of its catalogue, for which it has no error code of its own.
func isConcurrentUpdate(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "XX000" && strings.Contains(e.Message, "concurrently") || e.Code == "23505")
}
