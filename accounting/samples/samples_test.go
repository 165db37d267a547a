package samples

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/runs"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// sawGPU is a reading of a GPU by one job.
func sawGPU(at time.Time, gpu string, job int64, busy float64, procs int) Reading {
	return Reading{At: at, Node: "n1", UUID: gpu, Type: "a100", Job: policy.JobID(job), Busy: policy.KnownValue(busy), ProcessCount: policy.KnownValue(float64(procs))}
}

func TestReadingsOnceAndAgain(t *testing.T) {
	d := fresh(t)
	midnight := t0.Truncate(24 * time.Hour).Add(24 * time.Hour)
	first := []Reading{sawGPU(midnight.Add(-time.Second), "g0", 1, 0.5, 1), sawGPU(midnight, "g0", 1, 0.5, 1)}
	must(t, d.RecordReadings(t.Context(), testCluster, first))
	again := append(first, sawGPU(midnight.Add(time.Second), "g0", 1, 0.5, 1), sawGPU(midnight, "g0", 2, 0.5, 1))
	for range 2 { // a part of them is stored already, then all of them are
		must(t, d.RecordReadings(t.Context(), testCluster, again))
	}
	if n := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.gpu_samples"); n != len(again) {
		t.Errorf("%d rows, want %d", n, len(again))
	}
	for day, want := range map[time.Time]int{midnight.Add(-24 * time.Hour): 1, midnight: 3} {
		if n := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.gpu_readings_"+day.Format("20060102")); n != want {
			t.Errorf("day %s has %d rows, want %d", day.Format(time.DateOnly), n, want)
		}
	}
	must(t, d.RecordReadings(t.Context(), testCluster, nil))
}

func TestReadingsUnknownIsNull(t *testing.T) {
	d := fresh(t)
	must(t, d.RecordReadings(t.Context(), testCluster, []Reading{{At: t0, Node: "n1\x00", UUID: "g0", Type: "a100"}}))
	if n := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.gpu_samples where node = 'n1' and busy is null and mem_used is null and watts is null and procs is null and throttled is null and sharing = 0"); n != 1 {
		t.Error("what is unknown is not null")
	}
}

// Every number that the probe declares as stored has its column.
func TestStoredNumbersHaveColumns(t *testing.T) {
	d := fresh(t)
	r := sawGPU(t0, "g0", 1, 0.5, 1)
	r.ValueByColumn = map[string]policy.OptionalValue{}
	for i, column := range probes.ValueColumns() {
		r.ValueByColumn[column] = policy.KnownValue(float64(100 + i))
	}
	must(t, d.RecordReadings(t.Context(), testCluster, []Reading{r}))
	for i, column := range probes.ValueColumns() {
		if n := dbtest.CountRows(t, d.DB, fmt.Sprintf("select 1 from fairbridge.gpu_readings where %s = %d", column, 100+i)); n != 1 {
			t.Errorf("%s is stored %d times", column, n)
		}
	}
}

// rolled is what is rolled up of a job: GPUs, samples, known, shared, unused, idle, busy.
func rolled(t *testing.T, d *Store, table string, job int) []string {
	t.Helper()
	rows, err := d.DB.Query(context.Background(), "select format('%s: %s %s %s %s %s %s', gpus, samples, known, shared, unused, idle, round(busy::numeric, 3)) from fairbridge."+table+" where job = $1 order by 1", job)
	must(t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		must(t, rows.Scan(&s))
		out = append(out, s)
	}
	must(t, rows.Err())
	return out
}

func TestRollupTellsUsesApart(t *testing.T) {
	d := fresh(t)
	at := func(i int) time.Time { return t0.Add(time.Duration(i) * 15 * time.Second) }
	both := func(i int, job int64) Reading {
		r := sawGPU(at(i), "g1", job, 1, 1)
		r.JobsOnGPU = 2
		return r
	}
	list := []Reading{
		sawGPU(at(0), "g0", 1, 0.8, 1), sawGPU(at(1), "g0", 1, 0, 1), sawGPU(at(2), "g0", 1, 0, 0), // busy, idle, held without a process
		both(0, 1), both(0, 2), // shared: nobody's utilisation
	}
	must(t, d.RecordReadings(t.Context(), testCluster, list))
	n, err := d.RollupDueHours(t.Context(), testCluster, at(10))
	if err != nil || n != 1 {
		t.Fatalf("%d hours, %v", n, err)
	}
	if diff := cmp.Diff([]string{"2: 4 3 1 1 1 0.267"}, rolled(t, d, "gpu_hours", 1)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1: 1 0 1 0 0 "}, rolled(t, d, "gpu_hours", 2)); diff != "" {
		t.Error(diff)
	}
	if n, err = d.RollupDueHours(t.Context(), testCluster, at(10)); err != nil || n != 0 {
		t.Errorf("nothing is due, but %d hours, %v", n, err)
	}
}

// A run of five hours is summed up from hours and edges; its neighbours under
// the same number are not mixed in, and what comes late is added.
func TestRunsRollUp(t *testing.T) {
	d := fresh(t)
	start, end := t0.Add(30*time.Minute), t0.Add(5*time.Hour+30*time.Minute)
	ended := func() slurm.Job {
		j := running(7, t0, start)
		j.State, j.End = "COMPLETED", end
		return j
	}
	must(t, (&runs.Store{DB: d.DB}).RecordView(t.Context(), view(end.Add(time.Minute), ended())))
	var list []Reading
	for at := t0.Add(15 * time.Minute); at.Before(end.Add(20 * time.Minute)); at = at.Add(30 * time.Minute) {
		list = append(list, sawGPU(at, "g0", 7, 0.5, 1)) // one before, one after the run
	}
	late := 4
	must(t, d.RecordReadings(t.Context(), testCluster, append(append([]Reading{}, list[:late]...), list[late+1:]...)))
	check := func(want string) {
		t.Helper()
		if _, err := d.RollupDueHours(t.Context(), testCluster, end.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, rolled(t, d, "gpu_runs", 7)); diff != "" {
			t.Error(diff)
		}
	}
	within := len(list) - 2
	check(fmt.Sprintf("1: %d %d 0 0 0 0.500", within-1, within-1))
	must(t, d.RecordReadings(t.Context(), testCluster, list[late:late+1])) // from the spool, hours later
	check(fmt.Sprintf("1: %d %d 0 0 0 0.500", within, within))
	if n := dbtest.CountRows(t, d.DB, "select 1 from fairbridge_v1.gpu_use_by_run where job = 7 and account <> '' and busy_max = 0.5"); n != 1 {
		t.Errorf("the view shows %d rows", n)
	}
}

// Readings stored while their hour is rolled up are rolled up too.
func TestRollupBesideIngest(t *testing.T) {
	d := fresh(t)
	done := make(chan error)
	const n = 40
	go func() {
		for i := range n {
			if err := d.RecordReadings(context.Background(), testCluster, []Reading{sawGPU(t0.Add(time.Duration(i)*time.Second), "g0", 1, 1, 1)}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for ingesting := true; ingesting; {
		select {
		case err := <-done:
			must(t, err)
			ingesting = false
		default:
		}
		_, err := d.RollupDueHours(t.Context(), testCluster, t0.Add(time.Minute))
		must(t, err)
	}
	if diff := cmp.Diff([]string{fmt.Sprintf("1: %d %d 0 0 0 1.000", n, n)}, rolled(t, d, "gpu_hours", 1)); diff != "" {
		t.Error(diff)
	}
}

func TestReadingsRollUp(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	var list []Reading
	for i := range 4 {
		r := Reading{At: t0.Add(time.Duration(i) * time.Minute), Node: "n1", UUID: "g0", Type: "a100", Job: 1, Busy: policy.KnownValue(float64(i) / 4)}
		if i == 3 {
			r.Busy = policy.OptionalValue{} // unknown is not zero
		}
		list = append(list, r)
	}
	list = append(list, Reading{At: t0.Add(14*time.Hour + time.Second), Node: "n1", UUID: "g0", Type: "a100"}) // the next day
	for range 2 {
		must(t, d.RecordReadings(ctx, testCluster, list))
		must(t, d.rollupHour(ctx, testCluster, t0.Truncate(time.Hour)))
	}
	var gpus, samples int
	var busy, peak float64
	must(t, d.DB.QueryRow(ctx, "select gpus, samples, busy, busy_max from fairbridge_v1.gpu_use_by_job_hour where job = 1").Scan(&gpus, &samples, &busy, &peak))
	if gpus != 1 || samples != 4 || math.Abs(busy-0.25) > 1e-6 || peak != 0.5 {
		t.Errorf("%d GPUs, %d samples, busy %v, peak %v; want 1, 4, 0.25, 0.5", gpus, samples, busy, peak)
	}
	if n := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.gpu_samples"); n != len(list) {
		t.Errorf("%d readings stored, want %d", n, len(list))
	}
}
