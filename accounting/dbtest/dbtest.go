// Package dbtest gives tests a database of their own, and looks into it.
package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/pglocal/pgtest"
)

// New returns a migrated database of the test's own.
func New(t testing.TB) *accounting.DB {
	t.Helper()
	return Open(t, pgtest.FromTemplate(t, "accounting", func(ctx context.Context, dsn string) error {
		d, err := accounting.Open(ctx, accounting.Config{DSN: dsn})
		if err != nil {
			return err
		}
		defer d.Close()
		_, err = d.Migrate(ctx)
		return err
	}))
}

// Open connects to a database until the test ends.
func Open(t testing.TB, dsn string) *accounting.DB {
	t.Helper()
	d, err := accounting.Open(context.Background(), accounting.Config{DSN: dsn})
	Must(t, err)
	t.Cleanup(d.Close)
	return d
}

// Must ends the test on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Exec runs statements, one after another.
func Exec(t testing.TB, d *accounting.DB, statement string, args ...any) {
	t.Helper()
	_, err := d.Exec(context.Background(), statement, args...)
	Must(t, err)
}

// Count returns how many rows a query finds.
func Count(t testing.TB, d *accounting.DB, query string, args ...any) int {
	t.Helper()
	var n int
	Must(t, d.QueryRow(context.Background(), "select count(*) from ("+query+") q", args...).Scan(&n))
	return n
}

// Texts runs a query that yields one text a row.
func Texts(t testing.TB, d *accounting.DB, query string, args ...any) []string {
	t.Helper()
	list, err := accounting.CollectRows(context.Background(), d, pgx.RowTo[string], query, args...)
	Must(t, err)
	return list
}

// Dump returns all rows of a table as text, sorted.
func Dump(t testing.TB, d *accounting.DB, table string) string {
	t.Helper()
	var s string
	Must(t, d.QueryRow(context.Background(), "select coalesce(string_agg(r, E'\\n' order by r), '') from (select to_jsonb(x)::text r from fairbridge."+table+" x) q").Scan(&s))
	return s
}
