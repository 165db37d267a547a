package runs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/slurm/slurmdb"
)

// dbd is an authority that answers from rows and notes what it was asked, in
// seconds after t0. It fails from the window on that begins at broken.
type dbd struct {
	rows   []slurmdb.Job
	asked  [][2]int
	broken int
	bad    []error // of every window
}

var errAway = errors.New("away")

func (a *dbd) Jobs(_ context.Context, from, to time.Time) ([]slurmdb.Job, []error, error) {
	at := int(from.Sub(t0).Seconds())
	if a.broken > 0 && at >= a.broken {
		return nil, nil, errAway
	}
	a.asked = append(a.asked, [2]int{at, int(to.Sub(t0).Seconds())})
	var out []slurmdb.Job
	for _, r := range a.rows {
		if r.Submit.Before(to) && !r.End.Before(from) {
			out = append(out, r)
		}
	}
	return out, a.bad, nil
}

func TestImport(t *testing.T) {
	d := fresh(t)
	a := &dbd{rows: []slurmdb.Job{row(0, 10, 150, "COMPLETED"), rowWith(row(250, 260, 270, "FAILED"), func(r *slurmdb.Job) { r.ID = 2 })}}
	im := func(f func(*Import)) (ImportResult, error) {
		i := Import{Cluster: testCluster, Since: t0, Until: sec(350), WindowLength: 100 * time.Second, Overlap: 20 * time.Second, MinPause: time.Nanosecond}
		f(&i)
		a.asked = nil
		return d.Import(t.Context(), a, i)
	}
	asked := func(want ...[2]int) {
		t.Helper()
		if diff := cmp.Diff(want, a.asked); diff != "" {
			t.Errorf("windows (-want +got):\n%s", diff)
		}
	}
	if _, err := im(func(i *Import) { i.Since = time.Time{} }); !errors.Is(err, ErrNoImportStart) {
		t.Errorf("error %v", err)
	}
	a.broken = 200
	out, err := im(func(*Import) {})
	asked([2]int{0, 100}, [2]int{100, 200})
	if !errors.Is(err, errAway) || out.WindowCount != 2 || !out.Through.Equal(sec(200)) || out.NewCount != 1 {
		t.Errorf("%+v, error %v", out, err)
	}
	a.broken = 0
	a.bad = []error{errors.New("job 9 makes no sense")}
	var last, of time.Duration
	out, err = im(func(i *Import) { i.OnProgress = func(d, o time.Duration) { last, of = d, o } })
	must(t, err)
	asked([2]int{180, 280}, [2]int{280, 350})
	if out.NewCount != 1 || out.ChangedCount != 1 || last != 170*time.Second || of != last ||
		!cmp.Equal(out.Bad, []string{"job 9 makes no sense"}) {
		t.Errorf("%+v, progress %v of %v", out, last, of)
	}
	out, err = im(func(i *Import) { i.Since, i.Until = time.Time{}, sec(360) }) // what is new
	must(t, err)
	asked([2]int{330, 360})
	if out.ChangedCount != 0 {
		t.Errorf("%+v", out)
	}
	out, err = im(func(i *Import) { i.ReadsAgain = true })
	must(t, err)
	asked([2]int{0, 100}, [2]int{100, 200}, [2]int{200, 300}, [2]int{300, 350})
	if out.ChangedCount != 0 || out.RowCount != 3 {
		t.Errorf("%+v", out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Import(ctx, a, Import{Cluster: testCluster, Since: t0, Until: sec(10)}); err == nil {
		t.Error("an import that was called off says nothing")
	}
	if _, err := im(func(i *Import) { i.Until = t0 }); err == nil {
		t.Error("an import of no time says nothing")
	}
}

func TestImportRows(t *testing.T) {
	d := fresh(t)
	var rows []slurmdb.Job
	for i := range 2*rowsPerBatch + 10 { // every job has two rows, far apart
		rows = append(rows, rowWith(row(i, i+1, i+5, "COMPLETED"), func(r *slurmdb.Job) { r.ID = int64(i%(rowsPerBatch+5)) + 1 }))
	}
	var steps []int
	s, err := d.ImportRows(t.Context(), rows, Import{Cluster: testCluster, Until: sec(1)}, func(done, of int) { steps = append(steps, done, of) })
	must(t, err)
	if s.NewCount != len(rows) || s.RowCount != len(rows) || !cmp.Equal(steps, []int{rowsPerBatch, len(rows), 2 * rowsPerBatch, len(rows), len(rows), len(rows)}) {
		t.Errorf("%+v by %v", s, steps)
	}
	if n := dbtest.CountRows(t, d.DB, "select from fairbridge.run_segments"); n != len(rows) {
		t.Errorf("%d segments", n)
	}
}

// BenchmarkImportRows measures rows a second, first new, then known.
func BenchmarkImportRows(b *testing.B) {
	d := fresh(b)
	var rows []slurmdb.Job
	for i := range 50_000 {
		rows = append(rows, rowWith(row(i, i+1, i+500, "COMPLETED"), func(r *slurmdb.Job) { r.ID = int64(i) + 1 }))
	}
	for b.Loop() {
		_, err := d.DB.Exec(b.Context(), "truncate fairbridge.job_runs, fairbridge.run_segments")
		must(b, err)
		for i, name := range []string{"new-rows/s", "known-rows/s"} {
			began := time.Now()
			s, err := d.ImportRows(b.Context(), rows, Import{Cluster: testCluster, Until: sec(1)}, nil)
			must(b, err)
			if s.NewCount != len(rows)*(1-i) {
				b.Errorf("%+v", s)
			}
			b.ReportMetric(float64(len(rows))/time.Since(began).Seconds(), name)
		}
	}
}
