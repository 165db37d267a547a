// Package dbtest gives tests a database of their own, and looks into it.
package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/pglocal/pgtest"
)

// NewDB returns a migrated database of the test's own.
func NewDB(t testing.TB) *accounting.DB {
	t.Helper()
	return OpenDB(t, pgtest.NewFromTemplate(t, "accounting", func(ctx context.Context, dsn string) error {
		d, err := accounting.Open(ctx, accounting.Config{DSN: dsn})
		if err != nil {
			return err
		}
		defer d.Close()
		_, err = d.Migrate(ctx)
		return err
	}))
}

// OpenDB connects to a database until the test ends.
func OpenDB(t testing.TB, dsn string) *accounting.DB {
	t.Helper()
	d, err := accounting.Open(context.Background(), accounting.Config{DSN: dsn})
	RequireNoError(t, err)
	t.Cleanup(d.Close)
	return d
}

// RequireNoError ends the test on an error.
func RequireNoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Exec runs statements, one after another.
func Exec(t testing.TB, d *accounting.DB, statement string, args ...any) {
	t.Helper()
	_, err := d.Exec(context.Background(), statement, args...)
	RequireNoError(t, err)
}

// CountRows returns how many rows a query finds.
func CountRows(t testing.TB, d *accounting.DB, query string, args ...any) int {
	t.Helper()
	var n int
	RequireNoError(t, d.QueryRow(context.Background(), "select count(*) from ("+query+") q", args...).Scan(&n))
	return n
}

// QueryTexts runs a query that yields one text a row.
func QueryTexts(t testing.TB, d *accounting.DB, query string, args ...any) []string {
	t.Helper()
	list, err := accounting.CollectRows(context.Background(), d, pgx.RowTo[string], query, args...)
	RequireNoError(t, err)
	return list
}

// DumpTable returns all rows of a table as text, sorted.
func DumpTable(t testing.TB, d *accounting.DB, table string) string {
	t.Helper()
	var s string
	RequireNoError(t, d.QueryRow(context.Background(), "select coalesce(string_agg(r, E'\\n' order by r), '') from (select to_jsonb(x)::text r from fairbridge."+table+" x) q").Scan(&s))
	return s
}
