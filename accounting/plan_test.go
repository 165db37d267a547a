package accounting

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/sql"
)

// history fills a database with a year of finished runs, closed intents and
// cycles, so that the planner sees tables worth an index.
func history(t testing.TB, d *DB, runs int) {
	t.Helper()
	ctx := context.Background()
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
		if _, err := d.pool.Exec(ctx, q, runs); err != nil {
			t.Fatal(err)
		}
	}
	_, err := d.pool.Exec(ctx, "analyze")
	must(t, err)
}

// Every query of a cycle, and of a person waiting for an answer, must find its
// rows by an index: no table that grows with history is read through.
func TestHotQueriesUseIndexes(t *testing.T) {
	d := fresh(t)
	const runs = 50_000
	history(t, d, runs)
	end := time.Unix(1700003600+runs*20, 0)
	ids := []int64{1, 2, 3}
	zero := []int32{0, 0, 0}
	submits := []int64{1700000020, 1700000040, 1700000060}
	for name, args := range map[string][]any{
		"usage":            {"c1", end, 86400.0, end.Add(-48 * time.Hour), end.Add(-24 * time.Hour), end, true},
		"jobs_past":        {"c1"},
		"finished":         {"c1", 100},
		"runs_known":       {"c1", ids},
		"segments_of":      {"c1", ids, submits, zero},
		"intents":          {"c1", end.Add(-25 * time.Hour)},
		"intents_of_cycle": {"c1", "gpu", int64(5)},
		"memo":             {"c1", "gpu"},
		"replay":           {"c1", "gpu", int64(0)},
		"queue":            {"c1", ""},
		"story_runs":       {"c1", int64(7)},
		"story_decisions":  {"c1", int64(7), t0, 200},
		"story_intents":    {"c1", int64(7), t0, 200},
		"prune_intents":    {"c1", time.Unix(1700000900, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := d.pool.Query(t.Context(), "explain "+sql.Query(name), args...)
			must(t, err)
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			must(t, err)
			for _, l := range lines {
				for _, table := range []string{"job_runs", "run_segments", "intents", "cycles", "decisions"} {
					if strings.Contains(l, "Seq Scan on "+table+" ") {
						t.Errorf("%s is read through:\n%s", table, strings.Join(lines, "\n"))
					}
				}
			}
		})
	}
}

// Every query is one Postgres can prepare: no name or column is wrong.
func TestAllQueriesPrepare(t *testing.T) {
	d := fresh(t)
	c, err := d.pool.Acquire(t.Context())
	must(t, err)
	defer c.Release()
	for _, name := range sql.Queries() {
		if _, err := c.Conn().Prepare(t.Context(), name, sql.Query(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The contract: every view has a comment and can be read by the report role,
// which can read nothing else and write nothing.
func TestReportRole(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	for range 2 {
		must(t, d.GrantReports(ctx))
	}
	bare := count(t, d, "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'fairbridge_v1' and obj_description(c.oid) is null")
	if bare != 0 {
		t.Errorf("%d views have no comment", bare)
	}
	rows, err := d.pool.Query(ctx, "select relname from pg_class where relnamespace = 'fairbridge_v1'::regnamespace and relkind = 'v' order by 1")
	must(t, err)
	views, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if len(views) < 10 {
		t.Errorf("only %d views", len(views))
	}
	must(t, pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local role fairbridge_report"); err != nil {
			return err
		}
		for _, v := range views {
			if _, err := tx.Exec(ctx, "select * from fairbridge_v1."+v); err != nil {
				return fmt.Errorf("view %s: %w", v, err)
			}
		}
		return nil
	}))
	for _, q := range []string{"select * from fairbridge.intents", "delete from fairbridge_v1.leader", "create table fairbridge_v1.x (a int)"} {
		err := pgx.BeginFunc(ctx, d.pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "set local role fairbridge_report"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, q)
			return err
		})
		if kindOf(err) != ErrDenied {
			t.Errorf("%s: %v, want it denied", q, err)
		}
	}
}

// Days are split exactly at midnight, and the sum is what the segments are.
func TestUsageByDay(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	start := time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
	must(t, d.Record(ctx, view(start.Add(27*time.Hour), running(1, start, start))))
	rows, err := d.pool.Query(ctx, "select format('%s %s %s', day, account, gpu_hours) from fairbridge_v1.usage_by_account_day order by day")
	must(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	want := "2026-03-02 phys 6|2026-03-03 phys 96|2026-03-04 phys 6"
	if strings.Join(got, "|") != want {
		t.Errorf("days %v, want %s", got, want)
	}
}
