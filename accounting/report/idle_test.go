package report_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/report"
)

// What is idle now is what was not busy in any of the last readings, of runs that still go on: however busy a run
// was before, and never what is unknown, shared or no longer measured.
func TestIdleNow(t *testing.T) {
	db, conn, s := summed(t)
	exec(t, conn, "truncate fairbridge.gpu_readings, fairbridge.gpus cascade")
	at := s.Until
	exec(t, conn, "select fairbridge.add_sample_day(($1::timestamptz at time zone 'UTC')::date + n) from generate_series(-1, 0) n", at)
	exec(t, conn, "insert into fairbridge.gpus (id, cluster, node, uuid, gpu_type) overriding system value select k, 'c1', 'n' || k / 4, 'g' || k, 'a100' from generate_series(1, 40) k")
	job := 900_000
	run := func(gpus int, ended any, read func(minute int) (busy any, sharing int)) int {
		job++
		exec(t, conn, `insert into fairbridge.job_runs (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, time_limit, gpus, started, ended, closed, exact, first_seen, last_change, digest)
			select 'c1', $1, 1, 0, $2::timestamptz - interval '5 hours', '', 'x', 'ann', 'a7', 'normal', 'gpu', 0, 0, 'RUNNING', '', interval '1 day', $3, $2::timestamptz - interval '4 hours', $4, false, true, $2::timestamptz, $2::timestamptz, 1`, job, at, gpus, ended)
		for k := range gpus {
			for minute := 29; minute >= 0; minute-- {
				if busy, sharing := read(minute); sharing >= 0 {
					exec(t, conn, "insert into fairbridge.gpu_readings (at, job, gpu, busy, procs, sharing, sick) values ($1, $2, $3, $4, 1, $5, false)", at.Add(-time.Duration(minute)*time.Minute), job, (job-900_000)*4+k, busy, sharing)
				}
			}
		}
		return job
	}
	idle := func(int) (any, int) { return 0.005, 1 }
	want := map[string]string{
		fmt.Sprint(run(2, nil, idle)): "2 of 2 for 1740",
		fmt.Sprint(run(1, nil, func(m int) (any, int) { // it was busy until 12 minutes ago
			if m >= 12 {
				return 1.0, 1
			}
			return 0.0, 1
		})): "1 of 1 for 720",
	}
	run(1, nil, func(m int) (any, int) { // busy 5 minutes ago
		if m == 5 {
			return 0.5, 1
		}
		return 0.0, 1
	})
	run(1, nil, func(int) (any, int) { return nil, 1 })
	run(1, nil, func(int) (any, int) { return 0.0, 2 })
	run(1, at.Add(-time.Second), idle)   // it has ended
	run(1, nil, func(m int) (any, int) { // nothing is measured any more
		if m < 10 {
			return nil, -1
		}
		return 0.0, 1
	})
	r, _ := report.FindReport("idle-now")
	table, err := report.RunReport(t.Context(), db, r, s)
	must(t, err)
	got := map[string]string{}
	for _, row := range table.Rows {
		cell := func(name string) any { return row[table.ColumnIndex(name)] }
		key := fmt.Sprint(cell("address"))
		if got[key] != "" {
			t.Errorf("job %s has two rows on a node", key)
		}
		got[key] = fmt.Sprintf("%v of %v for %v", cell("idle_gpus"), cell("measured_gpus"), cell("idle_seconds"))
		if cell("user") != "ann" || cell("account") != "a7" {
			t.Errorf("job %s is of %v, %v", key, cell("user"), cell("account"))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s.Account = "a8"
	if table, err = report.RunReport(t.Context(), db, r, s); err != nil || len(table.Rows) > 0 {
		t.Errorf("another account: %v %v", table, err)
	}
}

// Who was told is counted by user: idle time over all steps of a job, and its last outcome.
func TestIdleReminders(t *testing.T) {
	db, conn, s := summed(t)
	exec(t, conn, "truncate fairbridge.idle_messages cascade")
	exec(t, conn, "insert into fairbridge.idle_messages (id, cluster, user_name, at, state) overriding system value values (1, 'c1', 'ann', $1, 'sent'), (2, 'c1', 'ann', $1, 'failed'), (3, 'c1', 'bob', $1, 'claimed')", s.Since)
	exec(t, conn, `insert into fairbridge.idle_reminders (cluster, job, step_s, message, at, user_name, account, partition, gpus, idle_since, idle_gpu_s, outcome, closed) values
		('c1', 1, 1800, 1, $1, 'ann', 'a7', 'gpu', 2, $1, 3600, 'idle', $1), ('c1', 1, 7200, 1, $1, 'ann', 'a7', 'gpu', 2, $1, 1800, 'ended', $1), ('c1', 2, 1800, 1, $1, 'ann', 'a7', 'gpu', 1, $1, 0, 'busy', $1),
		('c1', 3, 1800, 2, $1, 'ann', 'a7', 'gpu', 1, $1, 9999, 'idle', null), ('c1', 4, 1800, 3, $1, 'bob', 'a8', 'gpu', 1, $1, 0, 'idle', null)`, s.Since)
	r, _ := report.FindReport("idle-reminders")
	table, err := report.RunReport(t.Context(), db, r, s)
	must(t, err)
	want := [][]any{{"ann", "a7", int64(2), int64(3), 1.5, int64(1), int64(1), int64(0)}, {"bob", "a8", int64(1), int64(1), 0.0, int64(0), int64(0), int64(1)}}
	if diff := cmp.Diff(want, table.Rows); diff != "" {
		t.Error(diff)
	}
}
