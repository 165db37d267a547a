package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/slurm"
)

func sumUp(t testing.TB, d *Store) int {
	t.Helper()
	n, err := d.SumDueDays(t.Context(), testCluster)
	must(t, err)
	return n
}

// sums are all tables that SumDueDays keeps.
var sums = []string{"run_facts", "usage_days", "run_days", "wait_days", "spread_days", "middle_days", "demand_hours", "contention_hours", "share_days"}

func allSums(t *testing.T, d *Store) string {
	t.Helper()
	all := ""
	for _, table := range sums {
		all += "\n" + table + "\n" + dbtest.DumpTable(t, d.DB, table)
	}
	return all
}

func ended(j slurm.Job, at time.Time, state string) slurm.Job {
	j.State, j.End, j.GresDetail = state, at, nil
	return j
}

// threeDays records some days of three jobs: one over two midnights, one short
// one, and one that was requeued.
func threeDays(t *testing.T, d *Store) time.Time {
	t.Helper()
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	at := func(h float64) time.Time { return day.Add(time.Duration(h * float64(time.Hour))) }
	long := running(1, at(20), at(22))
	short := running(2, at(30), at(31))
	short.Account, short.User, short.Nodes = "bio", "bob", slurm.ReadHosts("n2")
	cut := running(3, at(23), at(24))
	cut.Nodes = slurm.ReadHosts("n3")
	again := cut
	again.Submit, again.Restarts, again.Start = at(26), 1, at(40)
	waits := again
	waits.State, waits.Start, waits.Nodes, waits.GresDetail, waits.AllocatedTRES = "PENDING", time.Time{}, slurm.Hosts{}, nil, slurm.TRES{}
	waits.RequestedTRES = slurm.ReadTRES("cpu=8,gres/gpu=4")
	for _, v := range []*slurm.View{
		view(at(22.5), long), view(at(24.5), long, cut), view(at(27), long, waits),
		view(at(31.5), long, short, waits), view(at(35), long, ended(short, at(33), "COMPLETED"), waits), view(at(41), long, again),
		view(at(50), ended(long, at(49), "COMPLETED"), ended(again, at(45), "COMPLETED")),
	} {
		must(t, record(d, t.Context(), v))
	}
	return day
}

func TestSumUp(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	must(t, func() error { _, err := d.SumDueDays(ctx, testCluster); return err }())
	threeDays(t, d)
	must(t, record(d, ctx, view(time.Date(2026, 3, 4, 3, 0, 0, 0, time.UTC))))
	live := dbtest.QueryTexts(t, d.DB, "select format('%s %s %s %s', day, account, user_name, round(gpu_hours::numeric, 6)) from fairbridge_v1.usage_by_user_day order by 1")
	sumUp(t, d)
	if n := dbtest.CountRows(t, d.DB, "select * from fairbridge.report_marks"); n != 0 {
		t.Errorf("%d marks are left", n)
	}
	summed := dbtest.QueryTexts(t, d.DB, "select format('%s %s %s %s', day, account, user_name, round((sum(gpu_s) / 3600)::numeric, 6)) from fairbridge.usage_days group by day, account, user_name order by 1")
	want := []string{"2026-03-02 phys ann 8.000000", "2026-03-03 bio bob 8.000000", "2026-03-03 phys ann 124.000000", "2026-03-04 phys ann 4.000000"}
	if diff := cmp.Diff(want, summed); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, live); diff != "" {
		t.Errorf("the view before the summing up (-want +got):\n%s", diff)
	}
	facts := dbtest.QueryTexts(t, d.DB, `select format('%s.%s %s gpu-h %s final %s work %s by %s', job, restarts, state, gpu_s / 3600, final, work_s / 3600, stopped_by) from fairbridge.run_facts order by job, restarts`)
	if diff := cmp.Diff([]string{
		"1.0 COMPLETED gpu-h 108 final t work 27 by ", "2.0 COMPLETED gpu-h 8 final t work 2 by ",
		"3.0 REQUEUED gpu-h 8 final f work 7 by other", "3.1 COMPLETED gpu-h 20 final t work 7 by ",
	}, facts); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	waits := dbtest.QueryTexts(t, d.DB, "select format('%s %s %s %s', day, user_name, jobs, wait_s / 3600) from fairbridge.wait_days order by 1")
	if diff := cmp.Diff([]string{"2026-03-02 ann 1 2", "2026-03-03 ann 1 1", "2026-03-03 bob 1 1"}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// Whatever changes of the past, in whatever order, summing up afterwards gives
// what summing up everything from nothing gives.
func TestSumUpFollowsLateData(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	day := threeDays(t, d)
	sumUp(t, d)
	was := allSums(t, d)
	sumUp(t, d)
	if diff := cmp.Diff(was, allSums(t, d)); diff != "" {
		t.Errorf("summing up again changed sums:\n%s", diff)
	}
	hour := func(h int) time.Time { return day.Add(time.Duration(h) * time.Hour) }
	for i, change := range []struct {
		query string
		args  []any
	}{
		{"update fairbridge.run_segments set stopped = $1 where job = 1", []any{hour(30)}},
		{"update fairbridge.job_runs set ended = $1 where job = 1", []any{hour(30)}},
		{"update fairbridge.job_runs set account = 'bio' where job = 2", nil},
		{"update fairbridge.run_segments set account = 'bio', gpus = 2 where job = 2", nil},
		{"insert into fairbridge.gpu_hours (cluster, hour, job, gpu_type, gpus, samples, known, idle, unused, busy) values ('" + testCluster + "', $1, 1, 'a100', 4, 100, 100, 20, 5, 0.5)", []any{hour(23)}},
		{"update fairbridge.gpu_hours set busy = 0.25", nil},
		{"delete from fairbridge.run_segments where job = 3 and restarts = 1", nil},
		{"delete from fairbridge.job_runs where job = 3 and restarts = 1", nil},
		{"update fairbridge.job_runs set started = started - interval '2 hours', arrive = arrive - interval '1 day' where job = 2", nil},
		{"insert into fairbridge.job_runs select cluster, 9, submit, 0, arrive, sluid, name, 'zoe', 'chem', qos, partition, 0, 0, state, reason, time_limit, gpus, started, ended, closed, exact, first_seen, last_change, 1 from fairbridge.job_runs where job = 2", nil},
	} {
		_, err := d.DB.Exec(ctx, change.query, change.args...)
		must(t, err)
		sumUp(t, d)
		got := allSums(t, d)
		for _, table := range sums {
			_, err := d.DB.Exec(ctx, "truncate fairbridge."+table)
			must(t, err)
		}
		_, err = d.DB.Exec(ctx, "insert into fairbridge.report_marks (cluster, day) select $1, d from generate_series($2::date, $2::date + 10, interval '1 day') d", testCluster, day.AddDate(0, 0, -2))
		must(t, err)
		sumUp(t, d)
		if diff := cmp.Diff(allSums(t, d), got); diff != "" {
			t.Errorf("after change %d (%s), sums from nothing (-) and kept ones (+):\n%s", i, change.query, diff)
		}
	}
}

// Two at once do no harm: the second leaves it to the first.
func TestSumUpTogether(t *testing.T) {
	d := fresh(t)
	threeDays(t, d)
	failed := make(chan error)
	for range 3 {
		go func() {
			_, err := d.SumDueDays(t.Context(), testCluster)
			failed <- err
		}()
	}
	for range 3 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	was := allSums(t, d)
	sumUp(t, d)
	if diff := cmp.Diff(was, allSums(t, d)); diff != "" {
		t.Error(diff)
	}
}

// A hundred and one small changes while summing up goes on: none is lost.
func TestSumUpLosesNoChange(t *testing.T) {
	d := fresh(t)
	day := threeDays(t, d)
	done := make(chan error)
	go func() {
		for i := range 40 {
			_, err := d.DB.Exec(t.Context(), "update fairbridge.run_segments set stopped = $1 where job = 1", day.Add(time.Duration(30*60+i)*time.Minute))
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for busy := true; busy; {
		select {
		case err := <-done:
			must(t, err)
			busy = false
		default:
			sumUp(t, d)
		}
	}
	sumUp(t, d)
	got := dbtest.QueryTexts(t, d.DB, "select round(sum(gpu_s) / 60)::text from fairbridge.usage_days where cluster = $1", testCluster)
	want := dbtest.QueryTexts(t, d.DB, "select round(sum(gpus * extract(epoch from stopped - started)) / 60)::text from fairbridge.run_segments")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("sums %v GPU-minutes, segments %v", got, want)
	}
}
