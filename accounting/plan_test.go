package accounting_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
	"fairbridge/gear/storetest"
	"fairbridge/sql"
)

// Every query of a cycle, and of a person waiting for an answer, must find its
// rows by an index: no table that grows with history is read through.
func TestHotQueriesUseIndexes(t *testing.T) {
	d := dbtest.NewDB(t)
	const runs = 50_000
	dbtest.FillHistory(t, d, runs)
	end := time.Unix(1700003600+runs*20, 0)
	ids := []int64{1, 2, 3}
	zero := []int32{0, 0, 0}
	submits := []int64{1700000020, 1700000040, 1700000060}
	for name, args := range map[string][]any{
		"usage":             {"c1", end, 86400.0, end.Add(-48 * time.Hour), end.Add(-24 * time.Hour), end, true},
		"jobs_past":         {"c1"},
		"finished":          {"c1", 100},
		"runs_known":        {"c1", ids},
		"segments_of":       {"c1", ids, submits, zero},
		"intents":           {"c1", end.Add(-25 * time.Hour)},
		"intents_of_cycle":  {"c1", "gpu", int64(5)},
		"memo":              {"c1", "gpu", "fairbridge", "defaults"},
		"replay_cycle":      {"c1", "gpu", int64(0)},
		"queue":             {"c1", ""},
		"starts_by_plan":    {"c1", end.Add(-24 * time.Hour), end, 150 * time.Second},
		"cycle_heads":       {"c1", []string{"gpu", "long"}},
		"job_owner":         {"c1", int64(7)},
		"changes":           {"c1", end.Add(-time.Hour), int64(0), []int64{}, []string{}, []string{}, []string{}, false, "u1", []string{"a1"}, 100},
		"history_runs":      {"c1", int64(7)},
		"history_decisions": {"c1", int64(7), storetest.StartTime, 200},
		"history_intents":   {"c1", int64(7), storetest.StartTime, 200},
		"prune_intents":     {"c1", time.Unix(1700000900, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := d.Query(t.Context(), "explain "+sql.QueryText(name), args...)
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
	d := dbtest.NewDB(t)
	c, err := d.Acquire(t.Context())
	must(t, err)
	defer c.Release()
	files, err := filepath.Glob("../sql/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries found (%v)", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		if _, err := c.Conn().Prepare(t.Context(), name, sql.QueryText(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The contract: every view has a comment and can be read by the report role,
// which can read nothing else and write nothing.
func TestReportRole(t *testing.T) {
	d := dbtest.NewDB(t)
	ctx := t.Context()
	for range 2 {
		must(t, d.GrantReportRole(ctx))
	}
	bare := dbtest.CountRows(t, d, "select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'fairbridge_v1' and obj_description(c.oid) is null")
	if bare != 0 {
		t.Errorf("%d views have no comment", bare)
	}
	rows, err := d.Query(ctx, "select relname from pg_class where relnamespace = 'fairbridge_v1'::regnamespace and relkind = 'v' order by 1")
	must(t, err)
	views, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if len(views) < 10 {
		t.Errorf("only %d views", len(views))
	}
	must(t, pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
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
		err := pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "set local role fairbridge_report"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, q)
			return err
		})
		if !errors.Is(accounting.WrapError("trying", err), accounting.ErrUserRefused) {
			t.Errorf("%s: %v, want it denied", q, err)
		}
	}
}

var must = dbtest.RequireNoError
