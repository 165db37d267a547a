package runs

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/slurmdb"
)

// bout is a stretch of a made-up run between changes of its size.
type bout struct{ start, stop, nodes, each int }

// outing is a run of a made-up job, with at most one suspension.
type outing struct {
	submit       int
	bouts        []bout
	pause, sleep int // when it is suspended, and for how long; 0: never
}

func (o outing) start() int { return o.bouts[0].start }

func (o outing) stop() int { return o.bouts[len(o.bouts)-1].stop }

// pastLives is what made-up jobs did: runs by job.
type pastLives [][]outing

var manyPasts = rapid.Custom(func(r *rapid.T) pastLives {
	var h pastLives
	for range rapid.IntRange(1, 4).Draw(r, "jobs") {
		t := rapid.IntRange(0, 2000).Draw(r, "submit")
		var runs []outing
		for range rapid.IntRange(1, 3).Draw(r, "runs") {
			o := outing{submit: t}
			t += rapid.IntRange(0, 60).Draw(r, "wait")
			for range rapid.IntRange(1, 3).Draw(r, "bouts") {
				n := rapid.IntRange(1, 400).Draw(r, "length")
				o.bouts = append(o.bouts, bout{t, t + n, rapid.IntRange(1, 3).Draw(r, "nodes"), rapid.IntRange(1, 8).Draw(r, "gpus")})
				t += n
			}
			if len(o.bouts) == 1 && rapid.Bool().Draw(r, "suspended") {
				b := o.bouts[0]
				o.pause = rapid.IntRange(b.start, b.stop-1).Draw(r, "pause")
				o.sleep = rapid.IntRange(1, b.stop-o.pause).Draw(r, "sleep")
			}
			runs = append(runs, o)
			t += rapid.IntRange(1, 4).Draw(r, "requeue")
		}
		h = append(h, runs)
	}
	return h
})

func nodesOf(n int) string { return fmt.Sprintf("n[1-%d]", n) }

// seen is what polls see at p: each job's latest run.
func (h pastLives) seen(p int) *slurm.View {
	var jobs []slurm.Job
	for i, runs := range h {
		n := -1
		for n+1 < len(runs) && runs[n+1].submit <= p {
			n++
		}
		if n < 0 {
			continue
		}
		o := runs[n]
		j := slurm.Job{ID: int64(i + 1), Name: "job", User: "ann", Account: "phys", Partitions: []string{"gpu"}, State: "PENDING", Submit: sec(o.submit), Restarts: n}
		for _, b := range o.bouts {
			if b.start <= p {
				j.State, j.Start, j.Nodes, j.GresDetail = "RUNNING", sec(o.start()), slurm.ReadHosts(nodesOf(b.nodes)), slurm.ReadGRESDetail(slices.Repeat([]string{fmt.Sprintf("gpu:a100:%d", b.each)}, b.nodes))
				j.AllocatedTRES = slurm.ReadTRES(fmt.Sprintf("gres/gpu=%d,gres/gpu:a100=%[1]d", b.nodes*b.each))
			}
		}
		switch {
		case o.stop() <= p:
			j.State, j.End, j.GresDetail = "COMPLETED", sec(o.stop()), nil
		case o.sleep > 0 && p >= o.pause+o.sleep:
			j.SuspendTime, j.PreSuspendTime = sec(o.pause+o.sleep), time.Duration(o.pause-o.start())*time.Second
		case o.sleep > 0 && p >= o.pause:
			j.State, j.SuspendTime, j.PreSuspendTime = "SUSPENDED", sec(o.pause), time.Duration(o.pause-o.start())*time.Second
		}
		jobs = append(jobs, j)
	}
	return view(sec(p), jobs...)
}

// rows is what slurmdbd answers about a window, asked at now.
func (h pastLives) rows(from, to, now int, repeats bool) []slurmdb.Job {
	var out []slurmdb.Job
	for i, runs := range h {
		for n, o := range runs {
			for k, b := range o.bouts {
				r := slurmdb.Job{ID: int64(i + 1), Name: "job", User: "ann", Account: "phys", Partition: "gpu", State: "COMPLETED", Restarts: n,
					Submit: sec(o.submit), Start: sec(b.start), End: sec(b.stop), Nodes: slurm.ReadHosts(nodesOf(b.nodes)), AllocatedTRES: tres(fmt.Sprintf("gres/gpu=%d,gres/gpu:a100=%[1]d", b.nodes*b.each))}
				eligible := o.submit
				if k > 0 {
					if eligible = b.start; repeats {
						r.Start = sec(o.start())
					}
					r.Submit = sec(b.start)
				}
				if n+1 < len(runs) {
					r.State = "REQUEUED"
				}
				if k+1 < len(o.bouts) {
					r.State = "RESIZING"
				}
				if o.sleep > 0 {
					r.SuspendedTime = time.Duration(o.sleep) * time.Second
				}
				if b.stop > now {
					r.State, r.End = "RUNNING", time.Time{}
				}
				if eligible < to && eligible <= now && (b.stop >= from) {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// checkRows wants the GPU-seconds of every row, in its time, and no others.
func (h pastLives) checkRows(t interface{ Errorf(string, ...any) }, d *Store, tt *testing.T) {
	total := 0.0
	for i, runs := range h {
		for _, o := range runs {
			for _, b := range o.bouts {
				want := float64(b.nodes * b.each * (b.stop - b.start - o.sleep))
				total += want
				var got float64
				must(tt, d.DB.QueryRow(tt.Context(), `select coalesce(sum(gpus * extract(epoch from least(stopped, $3) - greatest(started, $2))), 0)::double precision
					from fairbridge.run_segments where job = $1 and started < $3 and stopped > $2`, i+1, sec(b.start), sec(b.stop)).Scan(&got))
				if math.Abs(got-want) > 0.001 {
					t.Errorf("job %d, %d–%d: %g GPU-seconds, want %g; segments %v", i+1, b.start, b.stop, got, want, segs(tt, d, int64(i+1)))
				}
			}
		}
	}
	var got float64
	must(tt, d.DB.QueryRow(tt.Context(), `select coalesce(sum(gpus * extract(epoch from stopped - started)), 0)::double precision from fairbridge.run_segments`).Scan(&got))
	if math.Abs(got-total) > 0.001 {
		t.Errorf("%g GPU-seconds in all, want %g", got, total)
	}
}

// TestSettleLaw plays random pasts with polls that miss much of them, and
// imports of random windows, again and again, in any order. In the end every
// row of slurmdbd stands to the second and GPU, and nothing changes any more.
func TestSettleLaw(t *testing.T) {
	d := fresh(t)
	rapid.Check(t, func(r *rapid.T) {
		_, err := d.DB.Exec(t.Context(), "truncate fairbridge.job_runs, fairbridge.run_segments, fairbridge.imports, fairbridge.watch")
		must(t, err)
		h := manyPasts.Draw(r, "history")
		repeats := rapid.Bool().Draw(r, "starts are repeated")
		const end = 10_000
		settle := func(from, to, now int) StoreCounts {
			s, err := d.StoreRecords(t.Context(), Records{Cluster: testCluster, ChangedAt: sec(now), Since: sec(from), Through: sec(to), Rows: h.rows(from, to, now, repeats)})
			must(t, err)
			return s
		}
		for _, p := range slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(0, 5000), 0, 30).Draw(r, "polls"))) {
			if rapid.IntRange(0, 4).Draw(r, "import first") == 0 {
				from := rapid.IntRange(0, p).Draw(r, "from")
				settle(from, p+1, p)
			}
			must(t, d.RecordView(t.Context(), h.seen(p)))
		}
		cuts := append(rapid.SliceOfN(rapid.IntRange(1, end-1), 0, 4).Draw(r, "cuts"), 0, end)
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		order := rapid.Permutation(cuts[:len(cuts)-1]).Draw(r, "order")
		for range 2 {
			for _, from := range order {
				settle(from, cuts[slices.Index(cuts, from)+1], end)
			}
		}
		h.checkRows(r, d, t)
		was := standing(t, d)
		for _, from := range rapid.Permutation(cuts[:len(cuts)-1]).Draw(r, "order again") {
			if s := settle(from, cuts[slices.Index(cuts, from)+1], end); s.ChangedCount != 0 {
				r.Errorf("importing again: %+v", s)
			}
		}
		if diff := cmp.Diff(was, standing(t, d)); diff != "" {
			r.Errorf("importing again changed rows:\n%s", diff)
		}
	})
}
