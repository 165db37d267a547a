package accounting

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/bridge"
)

// orNull stores the zero time as null.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// orZero reads null as the zero time, everything else in UTC.
func orZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// orEmpty stores no list as an empty one.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// clean makes a text one that Postgres takes: valid UTF-8 without NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// openAlready names the rule behind a refused second open intent.
func openAlready(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.ConstraintName == "intents_one_open" {
		return fmt.Errorf("%w: a job's field has an intent whose outcome is still open (%s)", bridge.ErrConflict, pg.Detail)
	}
	return err
}
