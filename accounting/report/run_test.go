package report_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/report"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
)

// summed is a small history, summed up.
func summed(t *testing.T) (*stores.Stores, *pgx.Conn, report.Scope) {
	t.Helper()
	h := history{runs: 3000, days: 5, rng: rand.New(rand.NewPCG(1, 2))}
	db, dsn := h.fill(t)
	_, err := db.SumDueDays(t.Context(), cluster)
	must(t, err)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return db, conn, report.Scope{Cluster: cluster, Since: first, Until: h.end().Add(24 * time.Hour)}
}

// ask answers a report as numbers by account and column.
func ask(t *testing.T, db *stores.Stores, name string, s report.Scope) map[string]map[string]float64 {
	t.Helper()
	r, ok := report.FindReport(name)
	if !ok {
		t.Fatalf("no report %s", name)
	}
	table, err := report.RunReport(t.Context(), db, r, s)
	must(t, err)
	out := map[string]map[string]float64{}
	for _, row := range table.Rows {
		key, _ := row[table.ColumnIndex("account")].(string)
		out[key] = map[string]float64{}
		for i, v := range row {
			switch v := v.(type) {
			case float64:
				out[key][table.Columns[i]] = v
			case int64:
				out[key][table.Columns[i]] = float64(v)
			}
		}
	}
	return out
}

// same wants a column of a report to be what a plain query says of the record.
func same(t *testing.T, conn *pgx.Conn, got map[string]map[string]float64, column string, within float64, query string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), query)
	must(t, err)
	var account string
	var want float64
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&account, &want}, func() error {
		n++
		if v := got[account][column]; math.Abs(v-want) > within*math.Max(math.Abs(want), 1e-9) {
			t.Errorf("%s of %s is %g, the record says %g", column, account, v, want)
		}
		return nil
	})
	must(t, err)
	if n < 25 || n != len(got) {
		t.Errorf("%s: %d accounts in the record, %d in the report", column, n, len(got))
	}
}

func TestReportsAgreeWithTheRecord(t *testing.T) {
	db, conn, s := summed(t)
	const eps = 1e-9
	held := "select account, sum(gpus * extract(epoch from stopped - started))::float8 / 3600 from fairbridge.run_segments group by account"
	same(t, conn, ask(t, db, "usage", s), "gpu_hours", eps, held)
	e := ask(t, db, "efficiency", s)
	overlap := "extract(epoch from least(r.ended, h.hour + interval '1 hour') - greatest(r.started, h.hour)) * h.gpus / 3600.0 * "
	from := " from fairbridge.gpu_hours h join fairbridge.job_runs r using (cluster, job) group by account"
	same(t, conn, e, "measured_gpu_hours", 1e-6, "select account, sum("+overlap+"h.known / h.samples)::float8"+from)
	same(t, conn, e, "busy_gpu_hours", 1e-6, "select account, sum("+overlap+"h.known / h.samples * h.busy)::float8"+from)
	same(t, conn, e, "held_without_process_gpu_hours", 1e-6, "select account, sum("+overlap+"h.unused / h.samples)::float8"+from)
	w := ask(t, db, "waits", s)
	same(t, conn, w, "jobs", eps, "select account, count(*)::float8 from fairbridge.job_runs group by account")
	same(t, conn, w, "mean_seconds", 1e-6, "select account, avg(extract(epoch from started - arrive))::float8 from fairbridge.job_runs group by account")
	same(t, conn, w, "median_seconds", 0.15, "select account, percentile_cont(0.5) within group (order by extract(epoch from started - arrive))::float8 from fairbridge.job_runs group by account")
	f := ask(t, db, "fairness", s)
	same(t, conn, f, "mean_slowdown", 1e-6, "select account, avg(extract(epoch from ended - arrive) / greatest(extract(epoch from ended - started), 10))::float8 from fairbridge.job_runs group by account")
	same(t, conn, f, "timeouts", eps, "select account, count(*) filter (where state = 'TIMEOUT')::float8 from fairbridge.job_runs group by account")
	same(t, conn, ask(t, db, "stops", s), "lost_gpu_hours", 1e-6, "select account, sum(gpus * extract(epoch from ended - started))::float8 / 3600 from fairbridge.job_runs where state = 'REQUEUED' group by account")
	same(t, conn, ask(t, db, "shares", s), "used_gpu_hours", eps, held)
}

// TestTablesNameJobsAsSqueueDoes: people read the name of an array's task, programs its id too.
func TestTablesNameJobsAsSqueueDoes(t *testing.T) {
	db, _, s := summed(t)
	r, _ := report.FindReport("wasteful-jobs")
	table, err := report.RunReport(t.Context(), db, r, s)
	must(t, err)
	if head := table.HeaderTexts(); head[0] != "job" || slices.Contains(head[1:], "job") || slices.Contains(head, "address") || len(head) != len(table.FormatRows()[0]) {
		t.Errorf("people read the columns %q", head)
	}
	tasks := 0
	for i, shown := range table.FormatRows() {
		id := table.Rows[i][table.ColumnIndex("job")].(int64)
		want := fmt.Sprint(id)
		if array := madeArray(int(id - 1)); array != 0 {
			want, tasks = fmt.Sprintf("%d_3", array), tasks+1
		}
		if shown[0] != want {
			t.Errorf("job %d is shown as %s, want %s", id, shown[0], want)
		}
	}
	if tasks == 0 || tasks == len(table.Rows) {
		t.Errorf("%d of %d rows are tasks: nothing was tried", tasks, len(table.Rows))
	}
}

func TestSharesAddUp(t *testing.T) {
	db, _, s := summed(t)
	entitled, used, due := 0.0, 0.0, 0.0
	for _, row := range ask(t, db, "shares", s) {
		entitled, used, due = entitled+row["entitled_share"], used+row["used_share"], due+row["due_gpu_hours"]
		if row["deficit_gpu_hours"] < 0 || row["deficit_gpu_hours"] > row["due_gpu_hours"]+1e-9 {
			t.Errorf("deficit of %v", row)
		}
	}
	all := 0.0
	for _, row := range ask(t, db, "usage", s) {
		all += row["gpu_hours"]
	}
	if math.Abs(entitled-1) > 0.02 || math.Abs(used-1) > 1e-9 || math.Abs(due-all) > 0.02*all {
		t.Errorf("entitled %g, used %g (want 1 and 1); due %g of %g", entitled, used, due, all)
	}
}

// An account of which both sources speak counts once, as the configuration has
// it: a7, whose parent only slurmdbd names, by a weight of 1 where slurmdbd says
// 2, and a11 below a2.
func TestConfigurationOverridesSlurmdbd(t *testing.T) {
	_, conn, _ := summed(t)
	got := texts(t, conn, "select distinct concat(name, ' ', parent, ' ', weight) from fairbridge.account_days where name in ('a3', 'a7', 'a8', 'a11', 'a17') order by 1")
	if diff := cmp.Diff([]string{"a11 a2 2", "a17 a7 3", "a3  3", "a7  1", "a8  3"}, got); diff != "" {
		t.Errorf("entitlements (-want +got):\n%s", diff)
	}
}

func TestEveryReportAnswers(t *testing.T) {
	db, conn, whole := summed(t)
	for _, r := range report.AllReports() {
		s := whole
		if r.Name == "idle-now" { // long after the last run there is none
			s.Until = idleMoment(t, conn)
		}
		table, err := report.RunReport(t.Context(), db, r, s)
		must(t, err)
		if len(table.Rows) == 0 {
			t.Errorf("report %s has no rows", r.Name)
		}
		if r.Title == "" || strings.HasSuffix(r.Title, ".") || r.Explanation == "" {
			t.Errorf("report %s: title %q, about %q", r.Name, r.Title, r.Explanation)
		}
		for _, c := range append(r.Plot.Columns, r.Plot.LabelColumn) {
			if c != "" && table.ColumnIndex(c) < 0 {
				t.Errorf("report %s draws column %s, which it has not", r.Name, c)
			}
		}
		written(t, r, table)
		narrowed(t, db, r, s)
	}
}

// written wants CSV and JSON to hold the rows.
func written(t *testing.T, r report.Report, table *report.Table) {
	t.Helper()
	var b bytes.Buffer
	must(t, table.WriteCSV(&b))
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != len(table.Rows)+1 {
		t.Errorf("report %s: %d lines of CSV for %d rows, %v", r.Name, len(lines), len(table.Rows), err)
	}
	for i, line := range lines {
		for k, cell := range line {
			shown := report.FormatCell(table.Columns[k], cell)
			if i > 0 {
				shown = report.FormatCell(table.Columns[k], table.Rows[i-1][k])
			}
			if printable.CSVCell(cell) != cell && !floatOfCell(cell) || printable.Text(shown) != shown {
				t.Errorf("report %s: a user's text comes out as %q in CSV and %q in a table", r.Name, cell, shown)
			}
		}
	}
	text, err := json.Marshal(table)
	must(t, err)
	var back []map[string]any
	if err := json.Unmarshal(text, &back); err != nil || len(back) != len(table.Rows) {
		t.Errorf("report %s: %d objects for %d rows, %v", r.Name, len(back), len(table.Rows), err)
	}
}

func floatOfCell(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// narrowed wants an account's report to be about that account only.
func narrowed(t *testing.T, db *stores.Stores, r report.Report, s report.Scope) {
	t.Helper()
	s.Account = "a7"
	if r.CheckScope(s) != nil {
		return
	}
	table, err := report.RunReport(t.Context(), db, r, s)
	must(t, err)
	if c := table.ColumnIndex("account"); c >= 0 {
		for _, row := range table.Rows {
			if row[c] != "a7" {
				t.Errorf("report %s of account a7 has %v", r.Name, row[c])
			}
		}
	}
	if len(table.Rows) == 0 {
		t.Errorf("report %s of account a7 has no rows", r.Name)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		column string
		value  any
		want   string
	}{
		{"busy_share", 0.125, "12.5 %"}, {"wait_seconds", 3700.0, "1h01m"}, {"wait_seconds", -90.0, "-1m30s"}, {"gpu_hours", 1.25, "1.2"},
		{"mean_rho", 1.234, "1.23"}, {"jobs", int64(3), "3"}, {"busy_share", nil, "–"}, {"jain", math.NaN(), "–"}, {"late_seconds", 200000.0, "2d07h"},
	} {
		if got := report.FormatCell(c.column, c.value); got != c.want {
			t.Errorf("%s %v is %q, want %q", c.column, c.value, got, c.want)
		}
	}
}

// Of every account the report counts what came of its promises, and each of them once.
func TestDeadlineMisses(t *testing.T) {
	db, conn, scope := summed(t)
	got := ask(t, db, "deadline-misses", scope)
	for column, outcomes := range map[string]string{"met": "'met'", "missed": "'late', 'timeout', 'failed'", "changed_deadline": "'changed'", "cancelled": "'cancelled'", "jobs": "'met', 'late', 'timeout', 'failed', 'cancelled', 'changed', 'open'"} {
		same(t, conn, got, column, 0, "select account, (count(*) filter (where outcome in ("+outcomes+")))::float8 from fairbridge_v1.deadline_promises where cluster = 'c1' group by 1")
	}
	missed := 0.
	for account, r := range got {
		missed += r["missed"]
		if r["late"]+r["timed_out"]+r["failed"] != r["missed"] || r["missed"]+r["met"]+r["cancelled"]+r["changed_deadline"]+r["not_due"] != r["jobs"] {
			t.Errorf("%s: %v", account, r)
		}
	}
	if missed == 0 {
		t.Error("none is missed: the test says nothing")
	}
}
