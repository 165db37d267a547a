package speeds_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/gear/storetest"
	"fairbridge/policy"
)

const cluster = storetest.ClusterName

var (
	must = dbtest.RequireNoError
	t0   = storetest.StartTime
)

func report(job policy.JobID, minute int, gpus int, steps float64) bridge.SpeedReport {
	return bridge.SpeedReport{
		Job: job, User: "ann", Class: bridge.SpeedClass("", "train"), At: t0.Add(time.Duration(minute) * time.Minute),
		Point: policy.SpeedPoint{Type: "a100", Devices: gpus, BatchSize: 64, StepsPerSecond: steps},
	}
}

func speedsOf(t *testing.T, d *stores.Stores, now time.Time, j *policy.Job) bridge.SpeedHistory {
	t.Helper()
	past, err := d.Past(t.Context(), cluster, now)
	must(t, err)
	if past.SpeedsOf == nil {
		return bridge.SpeedHistory{}
	}
	return past.SpeedsOf(j)
}

// TestSpeedsAreKept: what a job reported is known of it in later runs, and of its class; a report
// that comes twice counts once.
func TestSpeedsAreKept(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	batch := &policy.BatchRange{Initial: 64, Max: 512, LeastPerDevice: 8, MostPerDevice: 64, GradSqr: 1, GradVar: 2}
	said := report(7, 3, 4, 14)
	said.Batch = batch
	other := report(8, 4, 8, 20)
	for _, list := range [][]bridge.SpeedReport{{report(7, 1, 4, 10)}, {report(7, 2, 4, 12), other}, {said}, {said}, {report(7, 1, 4, 99)}, nil} {
		must(t, d.RecordSpeeds(t.Context(), cluster, list))
	}
	j := &policy.Job{ID: 7, User: "ann", Name: "train", Arrive: t0}
	got := speedsOf(t, d, t0.Add(time.Hour), j)
	want := []bridge.SeenSpeed{{SpeedPoint: policy.SpeedPoint{Type: "a100", Devices: 4, BatchSize: 64, StepsPerSecond: 12}, Count: 3, RelativeSpread: 2. / 12}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, got.Own, near) + cmp.Diff(batch, got.Batch); diff != "" || len(got.Class) != 2 {
		t.Errorf("own, batch sizes (-want +got): %s; of its class %+v", diff, got.Class)
	}
	for name, c := range map[string]struct {
		job        policy.Job
		own, class int
	}{
		"another of the class":             {policy.Job{ID: 9, User: "ann", Name: "train", Arrive: t0}, 0, 2},
		"submitted after those reports":    {policy.Job{ID: 7, User: "ann", Name: "train", Arrive: t0.Add(30 * time.Minute)}, 0, 2},
		"another user's":                   {policy.Job{ID: 7, User: "bob", Name: "train", Arrive: t0}, 0, 0},
		"of that name as a declared class": {policy.Job{ID: 7, User: "ann", Class: "train", Arrive: t0}, 0, 0},
	} {
		if got := speedsOf(t, d, t0.Add(time.Hour), &c.job); len(got.Own) != c.own || len(got.Class) != c.class {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestSpeedsOfJobsThatComeAgain: a new job knows what those reported whose names differ in counters, until one of its own name did.
func TestSpeedsOfJobsThatComeAgain(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	named := func(job policy.JobID, name string, gpus int, steps float64) bridge.SpeedReport {
		r := report(job, 1, gpus, steps)
		r.Class = bridge.SpeedClass("", name)
		return r
	}
	must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{named(1, "seed-1", 1, 5), named(2, "seed-2", 4, 16), named(3, "other-2", 8, 50), named(4, "7", 2, 9)}))
	sizes := func(user, name, class string) (all []int) {
		for _, s := range speedsOf(t, d, t0.Add(time.Hour), &policy.Job{ID: 9, User: user, Name: name, Class: class, Arrive: t0}).Class {
			all = append(all, s.Devices)
		}
		slices.Sort(all)
		return all
	}
	for _, c := range []struct {
		user, name, class string
		want              []int
	}{{"ann", "seed-3", "", []int{1, 4}}, {"ann", "seed-2", "", []int{4}}, {"bob", "seed-3", "", nil}, {"ann", "seed-3", "resnet", nil}, {"ann", "8", "", nil}} {
		if got := sizes(c.user, c.name, c.class); !slices.Equal(got, c.want) {
			t.Errorf("%+v: sizes %v", c, got)
		}
	}
}

// TestSpeedsAreReadAnew: what is read is a moment old at most, and old reports are forgotten.
func TestSpeedsAreReadAnew(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	j := &policy.Job{ID: 7, User: "ann", Name: "train", Arrive: t0}
	if got := speedsOf(t, d, t0, j); len(got.Own) > 0 {
		t.Fatal(got)
	}
	must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{report(7, 1, 4, 10)}))
	if got := speedsOf(t, d, t0.Add(5*time.Minute), j); len(got.Own) != 1 {
		t.Errorf("%+v", got)
	}
	rows, err := d.Prune(t.Context(), cluster, t0.Add(400*24*time.Hour), stores.DefaultRetention())
	must(t, err)
	if got := speedsOf(t, d, t0.Add(10*time.Minute), j); rows != 1 || len(got.Own) > 0 {
		t.Errorf("%d rows forgotten: %+v", rows, got)
	}
}

// TestAClassIsAMeanOfJobs: each job counts once, however often it reported.
func TestAClassIsAMeanOfJobs(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	for minute := range 5 {
		must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{report(7, minute, 4, 10)}))
	}
	must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{report(8, 1, 4, 20)}))
	got := speedsOf(t, d, t0.Add(time.Hour), &policy.Job{ID: 9, User: "ann", Name: "train", Arrive: t0}).Class
	if len(got) != 1 || got[0].StepsPerSecond != 15 || got[0].Count != 2 || math.Abs(got[0].RelativeSpread-math.Sqrt(50)/15) > 1e-9 {
		t.Errorf("%+v", got)
	}
}
