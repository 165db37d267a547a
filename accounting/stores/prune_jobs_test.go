package stores

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/sql"
)

// sumTables are what reports keep by day.
var sumTables = []string{"usage_days", "run_days", "wait_days", "demand_hours", "contention_hours", "spread_days", "middle_days", "share_days"}

// fillDays has a job of four GPUs an hour for so many days from t0, and one that runs from the first day on.
func fillDays(t *testing.T, d *Stores, days int) (end time.Time) {
	t.Helper()
	end = t0.AddDate(0, 0, days)
	const run = `insert into fairbridge.job_runs (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, time_limit, gpus, started, ended, closed, exact, first_seen, last_change, digest)
		select $2, i, i, 0, $1::timestamptz + i * interval '1 hour', '', 'x', 'u' || i % 5, 'a' || i % 3, '', 'gpu', 0, 0, 'COMPLETED', '', '1 day', 4, $1::timestamptz + i * interval '1 hour', `
	dbtest.Exec(t, d.DB, run+"$1::timestamptz + (i + 1.5) * interval '1 hour', true, true, $1, $1, i from generate_series(1, $3::int - 2) i", t0, testCluster, days*24)
	dbtest.Exec(t, d.DB, run+"null, false, true, $1, $1, i from generate_series(1000000, 1000000) i where $3::int > 0", t0.Add(-1000000*time.Hour), testCluster, 1)
	dbtest.Exec(t, d.DB, "insert into fairbridge.run_segments select r.cluster, r.job, r.submit, r.restarts, 'n1', 'a100', r.started, r.ended, 4, 100, r.user_name, r.account, r.partition from fairbridge.job_runs r")
	dbtest.Exec(t, d.DB, "insert into fairbridge.gpu_hours (cluster, hour, job, gpu_type, gpus, samples, known, shared, unused, idle, throttled, sick, busy) select cluster, date_trunc('hour', started), job, 'a100', 4, 60, 60, 0, 0, 0, 0, 0, 0.5 from fairbridge.job_runs where closed")
	dbtest.Exec(t, d.DB, "insert into fairbridge.watch (cluster, at, before, full_at, release, api) values ($1, $2, $2, $2, '', '')", testCluster, end)
	return end
}

func dumpSums(t *testing.T, d *Stores) string {
	t.Helper()
	var all strings.Builder
	for _, table := range sumTables {
		all.WriteString(table + "\n" + dbtest.DumpTable(t, d.DB, table) + "\n")
	}
	return all.String()
}

// Old jobs go with all that is kept of each, and sums by day and the usage that shares rest on stay what they were: at once, and
// when a day is marked and summed up again. What is not summed up yet is not forgotten, nor what may still be needed.
func TestJobsAreForgottenAndSumsStay(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	end := fillDays(t, d, 20)
	keep := Retention{Jobs: 10 * 24 * time.Hour}
	count := func(table string) int { return dbtest.CountRows(t, d.DB, "select from fairbridge."+table) }
	all := count("job_runs")
	if n, err := d.Prune(ctx, testCluster, end, keep); err != nil || n != 0 {
		t.Fatalf("before anything is summed up %d rows go, %v", n, err)
	}
	sum := func() {
		t.Helper()
		_, err := d.SumDueDays(ctx, testCluster)
		must(t, err)
	}
	sum()
	halfLife := 12 * time.Hour // of which 20 are within the ten days that are kept
	shares := func() []string {
		return dbtest.QueryTexts(t, d.DB, "select q::text from ("+sql.QueryText("usage")+") q", testCluster, end, halfLife.Seconds(), end.Add(-20*halfLife), end.Add(-20*halfLife), end, true)
	}
	before, used := dumpSums(t, d), strings.Join(shares(), "\n")
	dbtest.Exec(t, d.DB, "insert into fairbridge.report_marks (cluster, day) values ($1, $2::date)", testCluster, t0.AddDate(0, 0, 3))
	if n, err := d.Prune(ctx, testCluster, end, keep); err != nil || n != 0 {
		t.Fatalf("while a day is behind %d rows go, %v", n, err)
	}
	sum()
	n, err := d.Prune(ctx, testCluster, end, keep)
	must(t, err)
	gone := dbtest.CountRows(t, d.DB, "select from generate_series(1, 20 * 24 - 2) i where $1::timestamptz + (i + 1.5) * interval '1 hour' < date_trunc('day', $2::timestamptz at time zone 'UTC') at time zone 'UTC'", t0, end.Add(-keep.Jobs))
	if int(n) != gone || gone < 200 || count("job_runs") != all-gone || count("run_segments") != all-gone || count("gpu_hours") != all-1-gone || count("run_facts") >= all-gone+2 {
		t.Errorf("%d rows went, want %d; %d runs, %d segments, %d hours and %d facts of %d are left", n, gone, count("job_runs"), count("run_segments"), count("gpu_hours"), count("run_facts"), all)
	}
	if dbtest.CountRows(t, d.DB, "select from fairbridge.job_runs where job = 1000000") != 1 {
		t.Error("a running job was forgotten")
	}
	if dumpSums(t, d) != before || strings.Join(shares(), "\n") != used {
		t.Error("sums changed")
	}
	dbtest.Exec(t, d.DB, "update fairbridge.job_runs set restarts = 0, state = 'RUNNING', account = account, gpus = 5 where job = 1000000")
	dbtest.Exec(t, d.DB, "update fairbridge.job_runs set gpus = 4 where job = 1000000")
	dbtest.Exec(t, d.DB, "insert into fairbridge.report_marks (cluster, day) values ($1, $2::date)", testCluster, t0.AddDate(0, 0, 3))
	sum()
	if got := dumpSums(t, d); got != before {
		t.Error("sums change when days are summed up again")
	}
	if n, err := d.Prune(ctx, testCluster, end, keep); err != nil || n != 0 {
		t.Errorf("again %d rows go, %v", n, err)
	}
}
