package runs

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// segs returns the segments of a job as "node type×n from–to", in seconds
// after t0.
func segs(t *testing.T, d *Store, job int64) []string {
	t.Helper()
	return texts(t, d, `select format('%s/%s %s×%s %s–%s', restarts, node, gpu_type, gpus,
		extract(epoch from started - $2)::int, coalesce(extract(epoch from stopped - $2)::int::text, ''))
		from fairbridge.run_segments where job = $1 order by started, node, gpu_type`, job, t0)
}

func TestRecordSegments(t *testing.T) {
	run := running(1, t0, sec(10))
	done := with(run, func(j *slurm.Job) { j.State, j.End, j.GresDetail = "COMPLETED", sec(100), nil })
	pending := with(run, func(j *slurm.Job) {
		j.State, j.Start, j.Nodes, j.GresDetail, j.AllocatedTRES = "PENDING", time.Time{}, slurm.Hosts{}, nil, slurm.TRES{}
	})
	completing := with(run, func(j *slurm.Job) { j.State, j.Flags, j.End = "PENDING", []string{"COMPLETING", "REQUEUED"}, sec(70) })
	again := with(run, func(j *slurm.Job) {
		j.Submit, j.Restarts, j.Start, j.Nodes = sec(80), 1, sec(200), slurm.ReadHosts("n2")
	})
	waiting := with(pending, func(j *slurm.Job) { j.Submit, j.Restarts, j.Start = sec(80), 1, sec(5000) })
	suspended := with(run, func(j *slurm.Job) { j.State, j.SuspendTime, j.PreSuspendTime = "SUSPENDED", sec(40), 30*time.Second })
	resumed := with(suspended, func(j *slurm.Job) { j.State, j.SuspendTime = "RUNNING", sec(60) })
	atOnce := with(run, func(j *slurm.Job) { j.SuspendTime = sec(60) })
	two := with(run, func(j *slurm.Job) {
		j.Nodes, j.GresDetail = slurm.ReadHosts("n[1-2]"), slurm.ReadGRESDetail([]string{"gpu:a100:2(IDX:0-1)", "gpu:a100:1(IDX:0),gpu:h100:1(IDX:4)"})
	})
	shrunk := with(two, func(j *slurm.Job) {
		j.Nodes, j.GresDetail = slurm.ReadHosts("n1"), slurm.ReadGRESDetail([]string{"gpu:a100:2(IDX:0-1)"})
	})
	reused := with(run, func(j *slurm.Job) { j.Submit, j.Start, j.User = sec(500), sec(510), "bob" })
	d := fresh(t)
	for _, c := range []struct {
		name  string
		views []*slurm.View
		want  []string
	}{
		{"polls merge", []*slurm.View{view(sec(20), run), view(sec(50), run), view(sec(90), run)}, []string{"0/n1 a100×4 10–"}},
		{"end as Slurm says", []*slurm.View{view(sec(20), run), view(sec(110), done)}, []string{"0/n1 a100×4 10–100"}},
		{"between polls", []*slurm.View{view(sec(5), pending), view(sec(110), done)}, []string{"0/n1 a100×4 10–100"}},
		{"vanished", []*slurm.View{view(sec(20), run), view(sec(50), run), view(sec(90))}, []string{"0/n1 a100×4 10–50"}},
		{"vanished and back", []*slurm.View{view(sec(20), run), view(sec(50)), view(sec(90), run)}, []string{"0/n1 a100×4 10–"}},
		{"absent from a partial list", []*slurm.View{view(sec(20), run), partial(view(sec(50)))}, []string{"0/n1 a100×4 10–"}},
		{"requeue, end seen", []*slurm.View{view(sec(20), run), view(sec(75), completing), view(sec(90), waiting), view(sec(210), again)},
			[]string{"0/n1 a100×4 10–70", "1/n2 a100×4 200–"}},
		{"requeue, end not seen", []*slurm.View{view(sec(20), run), view(sec(90), waiting), view(sec(210), again)},
			[]string{"0/n1 a100×4 10–80", "1/n2 a100×4 200–"}},
		{"requeue counted while completing", []*slurm.View{view(sec(20), run), view(sec(75), with(completing, func(j *slurm.Job) { j.Restarts = 1 })), view(sec(90), waiting)},
			[]string{"0/n1 a100×4 10–70"}},
		{"suspended", []*slurm.View{view(sec(20), run), view(sec(45), suspended)}, []string{"0/n1 a100×4 10–40"}},
		{"resumed", []*slurm.View{view(sec(20), run), view(sec(45), suspended), view(sec(65), resumed)}, []string{"0/n1 a100×4 10–40", "0/n1 a100×4 60–"}},
		{"resumed, not seen suspended", []*slurm.View{view(sec(20), run), view(sec(65), resumed)}, []string{"0/n1 a100×4 10–40", "0/n1 a100×4 60–"}},
		{
			"resumed, suspended in the second of its start",
			[]*slurm.View{view(sec(65), atOnce)}, []string{"0/n1 a100×4 60–"},
		},
		{"nodes and types", []*slurm.View{view(sec(20), two)}, []string{"0/n1 a100×2 10–", "0/n2 a100×1 10–", "0/n2 h100×1 10–"}},
		{"resized", []*slurm.View{view(sec(20), two), view(sec(50), shrunk), view(sec(90), shrunk), view(sec(110), with(shrunk, func(j *slurm.Job) { j.State, j.End, j.GresDetail = "COMPLETED", sec(100), nil }))},
			[]string{"0/n1 a100×2 10–100", "0/n2 a100×1 10–50", "0/n2 h100×1 10–50"}},
		{"job id used again", []*slurm.View{view(sec(20), run), view(sec(50), run), view(sec(520), reused)}, []string{"0/n1 a100×4 10–50", "0/n1 a100×4 510–"}},
		{"unreadable record", []*slurm.View{view(sec(20), run), view(sec(50), with(run, func(j *slurm.Job) { j.UntrustedReason, j.Start = "garbled", time.Time{} }))}, []string{"0/n1 a100×4 10–"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := d.DB.Exec(t.Context(), "truncate fairbridge.run_segments, fairbridge.job_runs, fairbridge.watch")
			must(t, err)
			for _, v := range c.views {
				must(t, d.RecordView(t.Context(), v))
				was := dbtest.DumpTable(t, d.DB, "run_segments") + dbtest.DumpTable(t, d.DB, "job_runs")
				must(t, d.RecordView(t.Context(), v))
				if diff := cmp.Diff(was, dbtest.DumpTable(t, d.DB, "run_segments")+dbtest.DumpTable(t, d.DB, "job_runs")); diff != "" {
					t.Errorf("recording the view of %v again changed rows:\n%s", v.At.Sub(t0), diff)
				}
			}
			if diff := cmp.Diff(c.want, segs(t, d, 1)); diff != "" {
				t.Errorf("segments (-want +got):\n%s", diff)
			}
		})
	}
}

func partial(v *slurm.View) *slurm.View {
	v.IsFullRead = false
	return v
}

// TestOlderViews: a view older than the last is an error and stores nothing; a last
// one of a future that is not is healed by the next.
func TestOlderViews(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	run := running(1, t0, sec(10))
	must(t, d.RecordView(ctx, view(sec(60), run)))
	done := with(run, func(j *slurm.Job) { j.State, j.End, j.GresDetail = "COMPLETED", sec(40), nil })
	if err := d.RecordView(ctx, view(sec(50), done)); !errors.Is(err, bridge.ErrOlderView) {
		t.Errorf("an older view: %v", err)
	}
	must(t, d.RecordView(ctx, view(sec(60+30*86_400), run)))
	if got := held(t, d); math.Abs(got-4*(50+30*86_400)) > 1 {
		t.Errorf("with the clock a month ahead: %.0f GPU-seconds", got)
	}
	must(t, d.RecordView(ctx, view(sec(90), run)))
	if got := held(t, d); got != 4*80 {
		t.Errorf("once it is put right: %.0f GPU-seconds, want 320", got)
	}
	must(t, d.RecordView(ctx, view(sec(120), with(run, func(j *slurm.Job) { j.State, j.End, j.GresDetail = "COMPLETED", sec(100), nil }))))
	if got := held(t, d); got != 4*90 {
		t.Errorf("the job ended after 90 s: %.0f GPU-seconds, want 360", got)
	}
	if err := d.RecordView(ctx, view(sec(100), run)); !errors.Is(err, bridge.ErrOlderView) {
		t.Errorf("an older view, afterwards: %v", err)
	}
}

// held is the GPU time on the books.
func held(t *testing.T, d *Store) (sum float64) {
	t.Helper()
	must(t, d.DB.QueryRow(t.Context(), "select coalesce(sum(gpu_seconds), 0) from fairbridge_v1.runs").Scan(&sum))
	return sum
}

// Slurm shows the end of a job that was cancelled while pending as its start.
func TestCancelledWhilePending(t *testing.T) {
	d := fresh(t)
	pending := with(running(1, t0, sec(10)), func(j *slurm.Job) {
		j.State, j.Start, j.Nodes, j.GresDetail, j.AllocatedTRES = "PENDING", sec(5000), slurm.Hosts{}, nil, slurm.TRES{}
	})
	must(t, d.RecordView(t.Context(), view(sec(20), pending)))
	must(t, d.RecordView(t.Context(), view(sec(50), with(pending, func(j *slurm.Job) { j.State, j.Start, j.End = "CANCELLED", sec(40), sec(40) }))))
	if n := dbtest.CountRows(t, d.DB, "select from fairbridge.job_runs where closed and started is null and ended = $1", sec(40)); n != 1 {
		t.Errorf("%d runs that never started", n)
	}
}

// closed is decayed use as policies and simulations reckon it, which SQL must equal.
func closed(gpus, from, to, now, half float64) float64 {
	return float64(policy.DecayedService(gpus, now-from, now-to, half))
}
