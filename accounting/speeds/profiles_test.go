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

func seen(job policy.JobID, minute int, mem int64, busy ...float64) bridge.ProfileReport {
	r := bridge.ProfileReport{Job: job, User: "ann", Class: "name train", At: t0.Add(time.Duration(minute) * time.Minute), MemMB: mem}
	if len(busy) > 0 {
		r.Busy, r.MemBusy = policy.KnownValue(busy[0]), policy.KnownValue(busy[0]/2)
	}
	return r
}

// TestProfilesAreKept: memory is the most that was seen, use the mean of the looks at which the job was alone; what is
// not known stays so, and a job of which nothing is known goes by its class.
func TestProfilesAreKept(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	for _, look := range [][]bridge.ProfileReport{
		{seen(7, 1, 1000, .5), seen(8, 1, 9000)}, {seen(7, 2, 5000, .25)}, {seen(7, 2, 8000, 1)}, {seen(7, 20, 3000)}, {seen(9, 20, 10, 0)}, nil,
	} {
		must(t, d.RecordProfiles(t.Context(), cluster, look))
	}
	past, err := d.Past(t.Context(), cluster, t0.Add(time.Hour))
	must(t, err)
	use := func(mem int64, busy float64, source string) bridge.Profile {
		return bridge.Profile{MemMB: mem, Busy: policy.KnownValue(busy), MemBusy: policy.KnownValue(busy / 2), Source: source}
	}
	for name, c := range map[string]struct {
		job  policy.Job
		want bridge.Profile
	}{
		"its own":                   {policy.Job{ID: 7, Name: "train", User: "ann", Arrive: t0}, use(5000, .375, "measured")},
		"only beside others, short": {policy.Job{ID: 8, Name: "train", User: "ann", Arrive: t0}, bridge.Profile{MemMB: 9000, Source: "measured"}},
		"idle, watched shortly":     {policy.Job{ID: 9, Name: "train", User: "ann", Arrive: t0}, use(9000, 0, "measured")},
		"its class":                 {policy.Job{ID: 10, Name: "train", User: "ann", Arrive: t0}, use(9000, .25, "class")},
		"number of an earlier job":  {policy.Job{ID: 7, Name: "train", User: "ann", Arrive: t0.Add(30 * time.Minute)}, use(9000, .25, "class")},
		"another user":              {policy.Job{ID: 7, Name: "train", User: "bob", Arrive: t0}, bridge.Profile{}},
		"another class":             {policy.Job{ID: 7, Name: "test", User: "ann", Arrive: t0}, bridge.Profile{}},
	} {
		if diff := cmp.Diff(c.want, past.ProfileOf(&c.job)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	rows, err := d.Prune(t.Context(), cluster, t0.Add(365*24*time.Hour+10*time.Minute), stores.DefaultRetention())
	must(t, err)
	if rows != 1 {
		t.Errorf("%d forgotten, want job 8 only", rows)
	}
}
