package accounting

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"fairbridge/sql"
)

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
