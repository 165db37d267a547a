package accounting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"fairbridge/sql"
)

// What can be wrong with the database, for errors.Is. Each text names the fix.
var (
	ErrUnreachable      = errors.New("the database cannot be reached: is Postgres running, and is the host right?")
	ErrNoDatabase       = errors.New("the database does not exist: create it with createdb, then run fairbridge db init")
	ErrUserRefused      = errors.New("the database refuses this user: check its password, pg_hba.conf and the grants on schema fairbridge")
	ErrNoSchema         = errors.New("the database is empty: run fairbridge db init")
	ErrNotMigrated      = errors.New("the database schema is older than this binary, or missing: run fairbridge db migrate, in a new database fairbridge db init")
	ErrSchemaNewer      = errors.New("the database schema is newer than this binary: install the newer fairbridge, or go back as the quick start says under Upgrade")
	ErrSchemaUnreleased = errors.New("the database schema is of a version before the first release, which cannot be upgraded: run fairbridge release with the program that made it, so that nothing it set stays in jobs, then in psql drop schema fairbridge, fairbridge_v1 cascade (what it keeps is lost), then fairbridge db init, then fairbridge import for the record of runs")
	ErrReadOnly         = errors.New("the database is read-only: is it a standby, or is default_transaction_read_only set?")
	ErrDiskFull         = errors.New("the database is out of disk space or connections")
)

// ErrPeerRefused is an ErrUserRefused of a database that asks the system who speaks.
var ErrPeerRefused error = peerRefusal{}

type peerRefusal struct{}

func (peerRefusal) Error() string {
	return "the database lets in only the system user of that name (peer authentication): the same again as that user, with sudo -u fairbridge in front"
}

// Is makes it an ErrUserRefused too.
func (peerRefusal) Is(target error) bool { return target == ErrUserRefused }

// WrapError adds what was being done and, where it is known, the fix.
func WrapError(doing string, err error) error {
	if err == nil {
		return nil
	}
	if kind := sentinelOfError(err); kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("%s: %w (%w)", doing, kind, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// sentinelOfError sorts Postgres' error codes.
func sentinelOfError(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		if isDisconnect(err) {
			return ErrUnreachable
		}
		return nil
	}
	switch pg.Code {
	case "3D000":
		return ErrNoDatabase
	case "28000", "28P01", "42501":
		if strings.HasPrefix(pg.Message, "Peer authentication failed") {
			return ErrPeerRefused
		}
		return ErrUserRefused
	case "42P01", "3F000", "42703", "42883":
		return ErrNotMigrated
	case "25006":
		return ErrReadOnly
	case "53100", "53200", "53300":
		return ErrDiskFull
	case "57P01", "57P02", "57P03", "08000", "08003", "08006":
		return ErrUnreachable
	}
	return nil
}

// isDisconnect reports whether there is no connection, or no longer.
func isDisconnect(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isRetryable reports whether the whole transaction may be tried again: it was
// rolled back because of others.
func isRetryable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

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

// Status is how the database stands.
type Status struct {
	AppliedVersion int64 `json:"have"` // newest migration applied; 0: none
	KnownVersion   int64 `json:"want"` // newest migration this binary knows
	ReadOnly       bool  `json:"read_only"`
	ServerVersion  int   `json:"server"` // Postgres' version number, e.g. 150013
}

// minServerVersion is the oldest Postgres the schema is tested on.
const minServerVersion = 130000

var qStatus, qVersion = sql.QueryText("status"), sql.QueryText("version")

// Status asks the database how it stands. The error is one of the Err values
// of this package when the daemon cannot work with it as it is; the Status is
// filled as far as it is known all the same.
func (d *DB) Status(ctx context.Context) (Status, error) {
	const doing = "looking at the database"
	oldest, newest := schemaVersions()
	s := Status{KnownVersion: newest}
	var there bool
	if err := d.Pool.QueryRow(ctx, qStatus).Scan(&there, &s.ReadOnly, &s.ServerVersion); err != nil {
		return s, WrapError(doing, err)
	}
	if there {
		if err := d.Pool.QueryRow(ctx, qVersion).Scan(&s.AppliedVersion); err != nil {
			return s, WrapError(doing, err)
		}
	}
	switch {
	case s.ServerVersion < minServerVersion:
		return s, fmt.Errorf("%s: Postgres 13 or later is needed, this is %d.%d", doing, s.ServerVersion/10000, s.ServerVersion%10000)
	case s.AppliedVersion > 0 && s.AppliedVersion < oldest:
		return s, fmt.Errorf("%s: %w", doing, ErrSchemaUnreleased)
	case s.AppliedVersion > s.KnownVersion:
		return s, fmt.Errorf("%s: %w (it has version %d, this binary knows %d)", doing, ErrSchemaNewer, s.AppliedVersion, s.KnownVersion)
	case s.AppliedVersion < s.KnownVersion && s.ReadOnly:
		return s, fmt.Errorf("%s: %w", doing, ErrReadOnly)
	case s.AppliedVersion == 0:
		return s, fmt.Errorf("%s: %w", doing, ErrNoSchema)
	case s.AppliedVersion < s.KnownVersion:
		return s, fmt.Errorf("%s: %w (it has version %d, this binary needs %d)", doing, ErrNotMigrated, s.AppliedVersion, s.KnownVersion)
	case s.ReadOnly:
		return s, fmt.Errorf("%s: %w", doing, ErrReadOnly)
	}
	return s, nil
}

var qClock = sql.QueryText("clock")

// Clock returns the time by the clock of the database.
func (d *DB) Clock(ctx context.Context) (now time.Time, err error) {
	err = d.QueryRow(ctx, qClock).Scan(&now)
	return now, WrapError("reading the clock of the database", err)
}

// schemaVersions returns the numbers of the first and the last migration this binary has.
func schemaVersions() (oldest, newest int64) {
	list, err := fs.Glob(sql.Migrations(), "*.sql")
	if err != nil {
		panic(err)
	}
	for i, name := range list { // sorted
		if _, err := fmt.Sscanf(name, "%d_", &newest); err != nil {
			panic(fmt.Sprintf("migration %s has no number", name))
		}
		if i == 0 {
			oldest = newest
		}
	}
	return oldest, newest
}
