package report_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/accounting"
	"fairbridge/accounting/report"
	"fairbridge/accounting/stores"
)

// as connects as a role, by its own login.
func as(t *testing.T, dsn, role string) *pgx.Conn {
	t.Helper()
	c, err := pgx.ParseConfig(dsn)
	must(t, err)
	c.User = role
	conn, err := pgx.ConnectConfig(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func texts(t *testing.T, conn *pgx.Conn, query string, args ...any) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query, args...)
	must(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return list
}

// columns returns the views of the contract that have a column of the name.
func columns(t *testing.T, conn *pgx.Conn, name string) []string {
	return texts(t, conn, "select table_name::text from information_schema.columns where table_schema = 'fairbridge_v1' and column_name = $1 order by 1", name)
}

// A coordinator sees the accounts given, those below them, and no other, in
// every view; who is nobody sees none; readers see all.
func TestCoordinatorsSeeTheirAccounts(t *testing.T) {
	h := history{runs: 3000, days: 5, rng: rand.New(rand.NewPCG(3, 4))}
	db, dsn := h.fill(t)
	_, err := db.SumDueDays(t.Context(), cluster)
	must(t, err)
	owner, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer owner.Close(context.Background())
	exec(t, owner, "insert into fairbridge.decision_now select cluster, partition, job, seq, verb, rank, gpus, alloc, room_for, why from fairbridge.decisions where seq < 1000 on conflict do nothing")
	exec(t, owner, "insert into fairbridge.gpu_runs (cluster, job, submit, restarts, gpu_type, gpus, samples, known, shared, unused, idle, throttled, sick) select cluster, job, submit, restarts, 'a100', 1, 1, 1, 0, 0, 0, 0, 0 from fairbridge.job_runs")
	exec(t, owner, "drop role if exists carol; create role carol login in role fairbridge_coordinator")
	exec(t, owner, "drop role if exists nobody_yet; create role nobody_yet login in role fairbridge_coordinator")
	exec(t, owner, "drop role if exists analyst; create role analyst login in role fairbridge_report")
	exec(t, owner, "drop role if exists daemon; create role daemon login; grant usage on schema fairbridge, fairbridge_v1 to daemon")
	exec(t, owner, "grant select on all tables in schema fairbridge_v1 to daemon; grant select on fairbridge.job_runs to daemon")
	exec(t, owner, "insert into fairbridge.coordinators values ('carol', 'c1', 'a3'), ('group_gone', 'c1', 'a5'), ('carol', 'c2', 'a4')")
	carol, nobody, analyst := as(t, dsn, "carol"), as(t, dsn, "nobody_yet"), as(t, dsn, "analyst")
	daemon := as(t, dsn, "daemon")
	mine := []string{"a13", "a23", "a3"} // a13 and a23 are below a3

	tried := 0
	for _, v := range columns(t, owner, "account") {
		all := "select distinct account from fairbridge_v1." + v + " order by 1"
		every := texts(t, owner, all)
		if len(every) == 0 {
			continue // predictions, which this history has not
		}
		tried++
		if len(every) < 25 {
			t.Errorf("%s: the owner sees %v", v, every)
		}
		if got := texts(t, analyst, all); !slices.Equal(got, every) {
			t.Errorf("%s: the analyst sees %d accounts of %d", v, len(got), len(every))
		}
		if got := texts(t, daemon, all); !slices.Equal(got, every) {
			t.Errorf("%s: who may read the record sees %d accounts of %d", v, len(got), len(every))
		}
		if got := texts(t, carol, all); !slices.Equal(got, mine) {
			t.Errorf("%s: carol sees %v", v, got)
		}
		if got := texts(t, nobody, all); len(got) != 0 {
			t.Errorf("%s: who coordinates nothing sees %v", v, got)
		}
	}
	if tried < 18 {
		t.Errorf("only %d views with accounts have rows", tried)
	}
	for _, v := range columns(t, owner, "job") {
		strange := fmt.Sprintf("select distinct v.job::text from fairbridge_v1.%s v", v)
		of := texts(t, owner, "select job::text from fairbridge.job_runs where account = any($1)", mine)
		got := texts(t, carol, strange)
		if len(got) == 0 && len(texts(t, owner, strange)) > 500 {
			t.Errorf("%s: carol sees nothing", v)
		}
		for _, job := range got {
			if !slices.Contains(of, job) {
				t.Errorf("%s: carol sees job %s of others", v, job)
				break
			}
		}
	}
	refused(t, carol)
	refused(t, analyst)
}

// The command works for a coordinator as it does for others, on what it may see.
func TestCoordinatorsReports(t *testing.T) {
	h := history{runs: 500, days: 2, rng: rand.New(rand.NewPCG(7, 8))}
	db, dsn := h.fill(t)
	_, err := db.SumDueDays(t.Context(), cluster)
	must(t, err)
	owner, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer owner.Close(context.Background())
	exec(t, owner, "drop role if exists dave; create role dave login in role fairbridge_coordinator")
	exec(t, owner, "insert into fairbridge.coordinators values ('dave', 'c1', 'a3')")
	his, err := stores.Open(t.Context(), accounting.Config{DSN: strings.ReplaceAll(dsn, "user=fairbridge", "user=dave")})
	must(t, err)
	defer his.Close()
	if _, err := his.SumDueDays(t.Context(), cluster); !errors.Is(err, accounting.ErrUserRefused) {
		t.Errorf("a coordinator sums up: %v", err)
	}
	scope := report.Scope{Cluster: cluster, Since: first, Until: h.end()}
	for _, r := range report.AllReports() {
		table, err := report.RunReport(t.Context(), his, r, scope)
		must(t, err)
		c := table.ColumnIndex("account")
		for _, row := range table.Rows {
			if c >= 0 && !slices.Contains([]any{"a3", "a13", "a23"}, row[c]) {
				t.Errorf("report %s shows account %v", r.Name, row[c])
			}
		}
	}
	if n := answer(t, his, report.AllReports()[0], scope); n != 3 {
		t.Errorf("%d accounts, want 3", n)
	}
}

// refused tries what no reader may do, and what would leak rows through a
// function of the reader's own.
func refused(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for _, q := range []string{
		"select * from fairbridge.job_runs", "select * from fairbridge.coordinators", "select * from fairbridge.run_facts", "select * from fairbridge.sees",
		"select fairbridge.sum_day('c1', current_date)", "insert into fairbridge.coordinators values ('carol', 'c1', 'a1')",
		"set default_transaction_read_only = off; delete from fairbridge_v1.waits_by_user_day", "create table fairbridge_v1.t (a int)",
	} {
		_, err := conn.Exec(t.Context(), q)
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != "42501" && pg.Code != "25006" && pg.Code != "55000" {
			t.Errorf("%s: %v, want it refused", q, err)
		}
	}
}

// A cheap function of the reader's own is called with rows the reader may see,
// and no others: the views are barriers.
func TestNoLeakThroughFunctions(t *testing.T) {
	h := history{runs: 500, days: 2, rng: rand.New(rand.NewPCG(5, 6))}
	_, dsn := h.fill(t)
	owner, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer owner.Close(context.Background())
	exec(t, owner, "drop role if exists mallory; create role mallory login in role fairbridge_coordinator")
	exec(t, owner, "drop role if exists daemon; create role daemon login; grant usage on schema fairbridge, fairbridge_v1 to daemon")
	exec(t, owner, "grant select on all tables in schema fairbridge_v1 to daemon; grant select on fairbridge.job_runs to daemon")
	exec(t, owner, "insert into fairbridge.coordinators values ('mallory', 'c1', 'a3')")
	c, err := pgx.ParseConfig(dsn)
	must(t, err)
	c.User = "mallory"
	var seen []string
	c.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { seen = append(seen, n.Message) }
	conn, err := pgx.ConnectConfig(t.Context(), c)
	must(t, err)
	defer conn.Close(context.Background())
	exec(t, conn, "set default_transaction_read_only = off")
	exec(t, conn, "create function pg_temp.peep(text) returns boolean language plpgsql cost 0.0000001 as $$ begin raise notice '%', $1; return true; end $$")
	for _, v := range []string{"runs", "segments", "waits"} {
		exec(t, conn, "select * from fairbridge_v1."+v+" where pg_temp.peep(account)")
	}
	if len(seen) == 0 {
		t.Fatal("the function was never called")
	}
	for _, a := range seen {
		if !slices.Contains([]string{"a3", "a13", "a23"}, a) {
			t.Fatalf("the function saw account %s", a)
		}
	}
}

// TestCoordinatorsReadNoSentences: sentences may name others, and a number of a job may have been another account's.
func TestCoordinatorsReadNoSentences(t *testing.T) {
	h := history{runs: 300, days: 2, rng: rand.New(rand.NewPCG(3, 4))}
	_, dsn := h.fill(t)
	owner, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer owner.Close(context.Background())
	exec(t, owner, "drop role if exists carol; create role carol login in role fairbridge_coordinator")
	exec(t, owner, "insert into fairbridge.coordinators values ('carol', 'c1', 'a3')")
	exec(t, owner, "update fairbridge.decisions set why = 'after job 7 of account a9', room_for = 7")
	exec(t, owner, `insert into fairbridge.decision_now
		select cluster, partition, job, max(seq), 'wait', 1, 1, '', 7, 'after job 7 of account a9'
		  from fairbridge.decisions group by cluster, partition, job on conflict do nothing`)
	exec(t, owner, "delete from fairbridge.intents")
	exec(t, owner, `insert into fairbridge.intents (cluster, epoch, partition, place, policy, job, submit, restarts,
		       sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, error, text)
		select cluster, 1, 'gpu', row_number() over (), 'x', job, submit + later, restarts, '',
		       'f', 'lease', 0, '{}', '', 1, 'for job 7 of ann', '{}', 'EXPIRED', now(), 'account a9 is full',
		       'ann waits'
		  from fairbridge.job_runs, (values (0), (1000000000)) as of_this_and_another_job(later)`)
	exec(t, owner, "insert into fairbridge.doubts values ('c1', 'policy', 'job 7 of ann', 'h', now(), now())")
	carol := as(t, dsn, "carol")
	for _, sentence := range []string{"why", "error", "text", "makes_room_for", "for_job"} {
		for _, v := range columns(t, owner, sentence) {
			read := fmt.Sprintf("select distinct %s::text from fairbridge_v1.%s where length(%[1]s::text) > 0", sentence, v)
			if got := texts(t, carol, read); len(got) != 0 {
				t.Errorf("%s.%s: carol reads %q", v, sentence, got)
			}
		}
	}
	runs := texts(t, carol, "select count(*)::text from fairbridge_v1.runs")
	if got := texts(t, carol, "select count(*)::text from fairbridge_v1.intents"); !slices.Equal(got, runs) {
		t.Errorf("carol sees %v intents, as many as are of runs of hers were wanted", got)
	}
	got := texts(t, owner, "select distinct why from fairbridge_v1.intents")
	if !slices.Equal(got, []string{"for job 7 of ann"}) {
		t.Errorf("the owner reads %q", got)
	}
}
