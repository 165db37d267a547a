package report_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/report"
	"fairbridge/accounting/stores"
	"fairbridge/sql"
)

// views are what people ask of the views that have a row per run, job or
// reading: a stretch of time, or one job. Those by day answer over any time.
var views = map[string]string{
	"runs of a day":                "select * from runs where started >= '2026-02-10' and started < '2026-02-11'",
	"runs of a job":                "select * from runs where job = 4711",
	"segments of a job":            "select * from segments where job = 4711",
	"waits of a week":              "select * from waits where started >= '2026-02-10' and started < '2026-02-17'",
	"efficiency_by_job, the worst": "select * from efficiency_by_job order by wasted_gpu_hours desc limit 20",
	"efficiency_now":               "select * from efficiency_now",
	"efficiency_by_job of a job":   "select * from efficiency_by_job where job = 4711",
	"job_fairness, the worst":      "select * from job_fairness order by rho desc nulls last limit 20",
	"stops, the worst":             "select * from stops order by lost_gpu_hours desc limit 20",
	"start_estimates of a week":    "select * from start_estimates where made >= '2026-02-10' and made < '2026-02-17'",
	"gpu_use_by_job_hour":          "select * from gpu_use_by_job_hour where job = 4711",
	"usage_by_user_day":            "select account, sum(gpu_hours) from usage_by_user_day group by account",
	"usage_by_account_day":         "select * from usage_by_account_day",
	"usage_by_partition_day":       "select * from usage_by_partition_day",
	"efficiency_by_account_day":    "select * from efficiency_by_account_day",
	"middles_by_account_day":       "select * from middles_by_account_day",
	"outcomes_by_user_day":         "select account, sum(jobs) from outcomes_by_user_day group by account",
	"jain_by_day":                  "select * from jain_by_day",
	"report_state":                 "select * from report_state",
}

// BenchmarkReports answers every report over 90 days of a million runs, and
// every view as people ask it. Making the history takes some minutes. With
// FAIRBRIDGE_PLANS the plans are appended to that file.
func BenchmarkReports(b *testing.B) {
	h := history{runs: 1_000_000, days: 90, rng: rand.New(rand.NewPCG(1, 2))}
	began := time.Now()
	db, dsn := h.fill(b)
	b.Logf("filled in %v", time.Since(began).Round(time.Second))
	began = time.Now()
	days, err := db.SumDueDays(context.Background(), cluster)
	must(b, err)
	b.Logf("summed up %d days in %v", days, time.Since(began).Round(time.Second))
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	must(b, err)
	defer conn.Close(ctx)
	exec(b, conn, "vacuum analyze")
	exec(b, conn, "set search_path = fairbridge_v1")
	exec(b, conn, "set jit = off")
	scope := report.Scope{Cluster: cluster, Since: first, Until: h.end()}
	for _, r := range report.AllReports() {
		b.Run("report "+r.Name, func(b *testing.B) { timed(b, func() int { return answer(b, db, r, scope) }) })
		scans(b, conn, sql.ReportText(r.Name), cluster, scope.Since, scope.Until, "", "")
	}
	names := make([]string, 0, len(views))
	for name := range views {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		b.Run("view "+name, func(b *testing.B) { timed(b, func() int { return drain(b, conn, views[name]) }) })
		scans(b, conn, views[name])
	}
	b.Run("job", func(b *testing.B) {
		timed(b, func() int {
			_, err := db.Job(ctx, cluster, 4711)
			must(b, err)
			return 1
		})
	})
	b.Run("summing up after a change", func(b *testing.B) {
		days := 0
		for b.Loop() {
			exec(b, conn, "update fairbridge.job_runs set ended = ended + interval '1 second' where job = 500000")
			days, err = db.SumDueDays(ctx, cluster)
			must(b, err)
		}
		b.ReportMetric(float64(days), "days")
	})
}

// scans logs what the plan of a query reads, and how long it took with all of
// it counted.
func scans(b *testing.B, conn *pgx.Conn, query string, args ...any) {
	rows, err := conn.Query(context.Background(), "explain (analyze, costs off) "+query, args...)
	must(b, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(b, err)
	for _, l := range lines {
		if strings.Contains(l, "Scan ") && strings.Contains(l, " on ") && !strings.Contains(l, "never executed") || strings.HasPrefix(l, "Execution") || strings.Contains(l, "Workers L") {
			b.Log(strings.TrimSpace(l))
		}
	}
	if file := os.Getenv("FAIRBRIDGE_PLANS"); file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		must(b, err)
		defer f.Close()
		_, err = fmt.Fprintf(f, "%s\n\n%s\n\n\n", query, strings.Join(lines, "\n"))
		must(b, err)
	}
}

// timed fails when an answer takes more than a second.
func timed(b *testing.B, f func() int) {
	rows := 0
	for b.Loop() {
		rows = f()
	}
	b.ReportMetric(float64(rows), "rows")
	if each := b.Elapsed() / time.Duration(b.N); each > time.Second {
		b.Errorf("%v, more than a second", each)
	}
}

func answer(t testing.TB, db *stores.Stores, r report.Report, s report.Scope) int {
	table, err := report.RunReport(context.Background(), db, r, s)
	must(t, err)
	return len(table.Rows)
}

func drain(t testing.TB, conn *pgx.Conn, query string) int {
	rows, err := conn.Query(context.Background(), query)
	must(t, err)
	n := 0
	for rows.Next() {
		n++
	}
	must(t, rows.Err())
	return n
}
