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

// FillHistory fills a database with a year of finished runs, closed intents and
// cycles, so that the planner sees tables worth an index.
func FillHistory(t testing.TB, d *accounting.DB, runs int) {
	t.Helper()
	for _, q := range []string{
		`insert into fairbridge.job_runs select 'c1', i, 1700000000 + i * 20, 0, to_timestamp(1700000000 + i * 20), '', 'j', 'u' || i % 300, 'a' || i % 30, '', 'gpu', 0, 0,
		   'COMPLETED', '', '1h', 4, to_timestamp(1700000000 + i * 20), to_timestamp(1700003600 + i * 20), true, true, now(), now(), i from generate_series(1, $1::int) i`,
		`insert into fairbridge.run_segments select 'c1', i, 1700000000 + i * 20, 0, 'n' || i % 500, 'a100', to_timestamp(1700000000 + i * 20), to_timestamp(1700003600 + i * 20), 4, 100,
		   'u' || i % 300, 'a' || i % 30, 'gpu' from generate_series(1, $1::int) i`,
		`insert into fairbridge.intents (cluster, epoch, partition, seq, place, policy, job, submit, restarts, sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, closed)
		   select 'c1', 1, 'gpu', i, 0, 'fifo', i, 1, 0, '', 'begin_time', 'lease', 0, '{}', '', 1, '', '{}', 'EXPIRED', to_timestamp(1700000000 + i * 20), to_timestamp(1700000600 + i * 20) from generate_series(1, $1::int) i`,
		`insert into fairbridge.cycles (cluster, partition, seq, epoch, at, mode, policy, params, digest, plan_digest, decisions, refused, pushed, took)
		   select 'c1', 'gpu', i, 1, to_timestamp(1700000000 + i * 30), 'rank', 'fifo', '{}', '', '', 0, '[]', 0, '{}' from generate_series(1, $1::int) i`,
		`insert into fairbridge.decisions select 'c1', 'gpu', 1 + i % 10000, i, to_timestamp(1700000000 + i * 30), 'wait', 1, 1, '', 0, 'because' from generate_series(1, $1::int) i`,
	} {
		Exec(t, d, q, runs)
	}
	Exec(t, d, "analyze")
}
