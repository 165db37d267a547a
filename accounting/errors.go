package accounting

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
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
