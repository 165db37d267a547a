package runs

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/slurmdb"
)

// row is a row of slurmdbd: job 1's run on 4 GPUs of n1.
func row(submit, start, end int, state string) slurmdb.Job {
	t, _ := slurm.ParseTRES("cpu=8,node=1,gres/gpu=4,gres/gpu:a100=4")
	return slurmdb.Job{
		ID: 1, Name: "train", User: "ann", Account: "phys", Partition: "gpu", State: state, Submit: sec(submit), Start: sec(start), End: sec(end),
		TimeLimit: time.Hour, Nodes: slurm.ReadHosts("n1"), AllocatedTRES: t, RequestedTRES: t, Restarts: 0,
	}
}

func rowWith(r slurmdb.Job, f func(*slurmdb.Job)) slurmdb.Job {
	f(&r)
	return r
}

func tres(text string) slurm.TRES {
	t, err := slurm.ParseTRES(text)
	if err != nil {
		panic(err)
	}
	return t
}

func settle(t *testing.T, d *Store, rows ...slurmdb.Job) StoreCounts {
	t.Helper()
	s, err := d.StoreRecords(t.Context(), Records{Cluster: testCluster, ChangedAt: sec(100_000), Rows: rows, TypeByNode: map[string]string{"n1": "a100"}})
	must(t, err)
	return s
}

// standing returns every row of runs and segments with the transaction that
// wrote it: what changes when anything is written.
func standing(t *testing.T, d *Store) []string {
	t.Helper()
	return texts(t, d, `select r.xmin || ' ' || r::text from fairbridge.job_runs r union all
		select s.xmin || ' ' || s::text from fairbridge.run_segments s union all
		select i.xmin || ' ' || i::text from fairbridge.imports i order by 1`)
}

func TestSettle(t *testing.T) {
	run := running(1, t0, sec(10))
	two := with(run, func(j *slurm.Job) {
		j.Nodes, j.GresDetail = slurm.ReadHosts("n[1-2]"), slurm.ReadGRESDetail([]string{"gpu:a100:3(IDX:0-2)", "gpu:a100:1(IDX:0)"})
	})
	suspended := with(run, func(j *slurm.Job) { j.State, j.SuspendTime, j.PreSuspendTime = "SUSPENDED", sec(40), 30*time.Second })
	resumed := with(suspended, func(j *slurm.Job) { j.State, j.SuspendTime = "RUNNING", sec(61) })
	whole := row(0, 10, 100, "COMPLETED")
	onTwo := rowWith(whole, func(r *slurmdb.Job) { r.Nodes, r.AllocatedTRES.NodeCount = slurm.ReadHosts("n[1-2]"), 2 })
	slept := func(n int) slurmdb.Job {
		return rowWith(whole, func(r *slurmdb.Job) { r.SuspendedTime = time.Duration(n) * time.Second })
	}
	untyped := rowWith(whole, func(r *slurmdb.Job) { r.AllocatedTRES = tres("gres/gpu=4") })
	requeued := row(0, 10, 50, "REQUEUED")
	again := rowWith(row(50, 60, 100, "COMPLETED"), func(r *slurmdb.Job) { r.Restarts = 1 })
	big := rowWith(row(0, 10, 40, "RESIZING"), func(r *slurmdb.Job) {
		r.Nodes, r.AllocatedTRES = slurm.ReadHosts("n[1-2]"), tres("gres/gpu=8,gres/gpu:a100=8")
	})
	small, smallOld := row(40, 40, 100, "COMPLETED"), row(40, 10, 100, "COMPLETED") // 22.05 repeats the start
	view8 := with(two, func(j *slurm.Job) {
		j.GresDetail = slurm.ReadGRESDetail([]string{"gpu:a100:4(IDX:0-3)", "gpu:a100:4(IDX:0-3)"})
	})
	onN2 := with(run, func(j *slurm.Job) { // requeued at 48 after a resize at 12
		j.Submit, j.Start, j.Restarts, j.Nodes = sec(48), sec(51), 1, slurm.ReadHosts("n2")
	})
	for _, c := range []struct {
		name   string
		views  []*slurm.View
		rows   []slurmdb.Job
		want   []string
		polled bool // more polls tell more
	}{
		{"never seen", nil, []slurmdb.Job{whole}, []string{"0/n1 a100×4 10–100"}, false},
		{"the end was inferred", []*slurm.View{view(sec(20), run), view(sec(50))}, []slurmdb.Job{whole}, []string{"0/n1 a100×4 10–100"}, false},
		{"still open", []*slurm.View{view(sec(20), run)}, []slurmdb.Job{whole}, []string{"0/n1 a100×4 10–100"}, false},
		{"still running for slurmdbd", []*slurm.View{view(sec(20), run)}, []slurmdb.Job{rowWith(whole, func(r *slurmdb.Job) { r.State, r.End = "RUNNING", time.Time{} })}, []string{"0/n1 a100×4 10–"}, true},
		{"polls know each node", []*slurm.View{view(sec(20), two)}, []slurmdb.Job{onTwo}, []string{"0/n1 a100×3 10–100", "0/n2 a100×1 10–100"}, false},
		{"polls saw other nodes", []*slurm.View{view(sec(20), run)}, []slurmdb.Job{onTwo}, []string{"0/n1 a100×2 10–100", "0/n2 a100×2 10–100"}, false},
		{"slurmdbd counts no types", nil, []slurmdb.Job{untyped}, []string{"0/n1 a100×4 10–100"}, false},
		{"slurmdbd counts no types, polls do", []*slurm.View{view(sec(20), with(run, func(j *slurm.Job) { j.GresDetail = slurm.ReadGRESDetail([]string{"gpu:h100:4(IDX:0-3)"}) }))}, []slurmdb.Job{untyped}, []string{"0/n1 h100×4 10–100"}, false},
		{"requeued", nil, []slurmdb.Job{requeued, again}, []string{"0/n1 a100×4 10–50", "1/n1 a100×4 60–100"}, false},
		{"requeued unseen", []*slurm.View{view(sec(20), run), view(sec(70), with(run, func(j *slurm.Job) { j.Submit, j.Start, j.Restarts = sec(50), sec(60), 1 }))},
			[]slurmdb.Job{requeued, again}, []string{"0/n1 a100×4 10–50", "1/n1 a100×4 60–100"}, false},
		{"suspended unseen", nil, []slurmdb.Job{slept(20)}, []string{"0/n1 a100×4 10–45", "0/n1 a100×4 65–100"}, false},
		{"suspended, seen", []*slurm.View{view(sec(20), run), view(sec(45), suspended), view(sec(65), resumed)}, []slurmdb.Job{slept(21)},
			[]string{"0/n1 a100×4 10–40", "0/n1 a100×4 61–100"}, false},
		{"suspended, seen in part", []*slurm.View{view(sec(20), run), view(sec(45), suspended), view(sec(65), resumed)}, []slurmdb.Job{slept(30)},
			[]string{"0/n1 a100×4 10–40", "0/n1 a100×4 70–100"}, false},
		{"suspended to the end", []*slurm.View{view(sec(20), run), view(sec(45), suspended)}, []slurmdb.Job{slept(60)}, []string{"0/n1 a100×4 10–40"}, false},
		{"resized unseen", nil, []slurmdb.Job{big, small}, []string{"0/n1 a100×4 10–40", "0/n2 a100×4 10–40", "0/n1 a100×4 40–100"}, false},
		{"resized, start repeated", nil, []slurmdb.Job{big, smallOld}, []string{"0/n1 a100×4 10–40", "0/n2 a100×4 10–40", "0/n1 a100×4 40–100"}, false},
		{"resized and running", []*slurm.View{view(sec(20), view8), view(sec(50), run)}, []slurmdb.Job{big, rowWith(small, func(r *slurmdb.Job) { r.State, r.End = "RUNNING", time.Time{} })},
			[]string{"0/n1 a100×4 10–40", "0/n2 a100×4 10–40", "0/n1 a100×4 40–"}, true},
		{"resized, only the end told", []*slurm.View{view(sec(20), view8), view(sec(50), run)}, []slurmdb.Job{small},
			[]string{"0/n1 a100×4 10–40", "0/n2 a100×4 10–40", "0/n1 a100×4 40–100"}, false},
		{"requeued after it was resized, as 22.05 has it", []*slurm.View{view(sec(20), run), view(sec(52), onN2)}, []slurmdb.Job{row(0, 10, 12, "RESIZING"), row(12, 12, 100, "COMPLETED")},
			[]string{"0/n1 a100×4 10–12", "0/n1 a100×4 12–48", "1/n2 a100×4 51–100"}, false},
		{"a row that contradicts itself", []*slurm.View{view(sec(20), view8)}, []slurmdb.Job{rowWith(whole, func(r *slurmdb.Job) { r.Nodes = slurm.ReadHosts("n[1-2]") })},
			[]string{"0/n1 a100×4 10–100", "0/n2 a100×4 10–100"}, false},
		{"another run was taken for it", []*slurm.View{view(sec(70), with(run, func(j *slurm.Job) { j.Submit, j.Start = sec(55), sec(62) }))}, []slurmdb.Job{rowWith(again, func(r *slurmdb.Job) { r.Submit = sec(51) })},
			[]string{"1/n1 a100×4 60–100"}, true},
		{"job id used again", []*slurm.View{view(sec(20), run), view(sec(50), run)}, []slurmdb.Job{row(0, 10, 52, "FAILED"), rowWith(row(500, 510, 600, "COMPLETED"), func(r *slurmdb.Job) { r.User = "bob" })},
			[]string{"0/n1 a100×4 10–52", "0/n1 a100×4 510–600"}, false},
		{"never started", nil, []slurmdb.Job{rowWith(whole, func(r *slurmdb.Job) {
			r.State, r.Start, r.Nodes, r.AllocatedTRES = "CANCELLED", time.Time{}, slurm.Hosts{}, slurm.TRES{}
		})}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := fresh(t)
			for _, v := range c.views {
				must(t, d.RecordView(t.Context(), v))
			}
			settle(t, d, c.rows...)
			if diff := cmp.Diff(c.want, segs(t, d, 1)); diff != "" {
				t.Errorf("segments (-want +got):\n%s", diff)
			}
			was := standing(t, d)
			if s := settle(t, d, c.rows...); s.ChangedCount != 0 || s.NewCount != 0 {
				t.Errorf("again: %+v", s)
			}
			for i := range c.rows { // row by row, last first
				settle(t, d, c.rows[len(c.rows)-1-i])
			}
			if diff := cmp.Diff(was, standing(t, d)); diff != "" {
				t.Errorf("doing it again changed rows:\n%s", diff)
			}
			for _, v := range c.views { // a poll that is late, and one that is new
				if err := d.RecordView(t.Context(), v); !errors.Is(err, bridge.ErrOlderView) {
					must(t, err)
				}
				must(t, d.RecordView(t.Context(), view(sec(200), v.Jobs...)))
			}
			if diff := cmp.Diff(c.want, segs(t, d, 1)); diff != "" && !c.polled {
				t.Errorf("segments after more polls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSettleRuns(t *testing.T) {
	d := fresh(t)
	must(t, d.RecordView(t.Context(), view(sec(20), running(1, t0, sec(10)))))
	must(t, d.RecordView(t.Context(), view(sec(55)))) // vanished
	settle(t, d, rowWith(row(50, 60, 100, "COMPLETED"), func(r *slurmdb.Job) { r.Restarts = 1 }), row(0, 10, 50, "REQUEUED"))
	rows, err := d.DB.Query(t.Context(), `select format('%s %s arrived %s started %s ended %s exact %s %s', restarts, state,
		extract(epoch from arrive - $1)::int, extract(epoch from started - $1)::int, extract(epoch from ended - $1)::int, exact, authority)
		from fairbridge.job_runs order by submit`, t0)
	must(t, err)
	var got []string
	for rows.Next() {
		var s string
		must(t, rows.Scan(&s))
		got = append(got, s)
	}
	must(t, rows.Err())
	want := []string{"0 REQUEUED arrived 0 started 10 ended 50 exact t t", "1 COMPLETED arrived 0 started 60 ended 100 exact t t"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestSettleIsAllOrNothing(t *testing.T) {
	d := fresh(t)
	bad := rowWith(row(0, 10, 20, "COMPLETED"), func(r *slurmdb.Job) { r.ID, r.Nodes = 2, slurm.ReadHosts("n[1-") })
	_, err := d.StoreRecords(t.Context(), Records{Cluster: testCluster, ChangedAt: t0, Since: t0, Through: sec(100), Rows: []slurmdb.Job{row(0, 10, 100, "COMPLETED"), bad}})
	if err == nil || len(standing(t, d)) != 0 {
		t.Errorf("error %v, and there stand %v", err, standing(t, d))
	}
}

func TestImported(t *testing.T) {
	d := fresh(t)
	through := func(since time.Time) string {
		at, err := d.ImportedThrough(t.Context(), testCluster, since)
		must(t, err)
		if at.IsZero() {
			return "never"
		}
		return fmt.Sprint(at.Sub(t0).Seconds())
	}
	for _, c := range []struct {
		from, to int
		newest   string
		since50  string
		rows     int
	}{{100, 200, "200", "never", 1}, {300, 400, "400", "never", 2}, {40, 60, "400", "60", 3}, {50, 100, "400", "200", 2}, {150, 350, "400", "400", 1}, {60, 390, "400", "400", 1}} {
		_, err := d.StoreRecords(t.Context(), Records{Cluster: testCluster, Since: sec(c.from), Through: sec(c.to)})
		must(t, err)
		if n := dbtest.CountRows(t, d.DB, "select from fairbridge.imports"); through(time.Time{}) != c.newest || through(sec(50)) != c.since50 || n != c.rows {
			t.Errorf("after %d–%d: newest %s, from 50 on %s, %d rows; want %+v", c.from, c.to, through(time.Time{}), through(sec(50)), n, c)
		}
	}
}
