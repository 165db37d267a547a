package speeds_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/policy"
)

func loss(job policy.JobID, minute int, step, value float64) bridge.LossReport {
	return bridge.LossReport{Job: job, User: "ann", At: t0.Add(time.Duration(minute) * time.Minute), Point: policy.LossPoint{Step: step, Loss: value}, TotalSteps: 1000}
}

func lossesOf(t *testing.T, d *stores.Stores, now time.Time, j *policy.Job) bridge.LossHistory {
	t.Helper()
	past, err := d.Past(t.Context(), cluster, now)
	must(t, err)
	if past.LossesOf == nil {
		return bridge.LossHistory{}
	}
	return past.LossesOf(j)
}

// TestLossesAreKept: a job's losses outlive its runs, by step; work that it says is lost is forgotten, and a report
// that comes twice counts once.
func TestLossesAreKept(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	for _, r := range []bridge.LossReport{loss(7, 1, 0, 5), loss(7, 2, 100, 4), loss(7, 2, 100, 9), loss(7, 3, 200, 3), loss(8, 3, 10, 1), loss(7, 4, 150, 3.5)} {
		must(t, d.RecordLosses(t.Context(), cluster, []bridge.LossReport{r}))
	}
	must(t, d.RecordLosses(t.Context(), cluster, nil))
	want := bridge.LossHistory{Points: []policy.LossPoint{{Step: 0, Loss: 5}, {Step: 100, Loss: 4}, {Step: 150, Loss: 3.5}}, TotalSteps: 1000}
	now := t0.Add(time.Hour)
	if diff := cmp.Diff(want, lossesOf(t, d, now, &policy.Job{ID: 7, User: "ann", Arrive: t0})); diff != "" {
		t.Error(diff)
	}
	for name, j := range map[string]policy.Job{
		"another's":                     {ID: 7, User: "bob", Arrive: t0},
		"submitted after those reports": {ID: 7, User: "ann", Arrive: t0.Add(30 * time.Minute)},
		"one that reported nothing":     {ID: 9, User: "ann", Arrive: t0},
	} {
		if got := lossesOf(t, d, now, &j); len(got.Points) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestLossesAreBounded: however often a job reports, a bounded number is kept, from the first to the last; those of a
// job that still reports stay, and those of others are forgotten.
func TestLossesAreBounded(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	const reports = 400
	for i := range reports {
		must(t, d.RecordLosses(t.Context(), cluster, []bridge.LossReport{loss(7, i, float64(i), 500-float64(i))}))
	}
	must(t, d.RecordLosses(t.Context(), cluster, []bridge.LossReport{loss(8, 0, 1, 1)}))
	now := t0.Add(reports * time.Minute)
	got := lossesOf(t, d, now, &policy.Job{ID: 7, User: "ann", Arrive: t0}).Points
	if n := len(got); n < 20 || n > 50 || got[0].Step != 0 || got[n-1].Step != reports-1 {
		t.Fatalf("%d losses: %+v", n, got)
	}
	rows, err := d.Prune(t.Context(), cluster, t0.Add(14*24*time.Hour+5*time.Minute), stores.DefaultRetention())
	must(t, err)
	if left := lossesOf(t, d, now.Add(time.Hour), &policy.Job{ID: 7, User: "ann", Arrive: t0}).Points; rows != 1 || len(left) != len(got) {
		t.Errorf("%d rows forgotten, %d losses of %d left", rows, len(left), len(got))
	}
}
