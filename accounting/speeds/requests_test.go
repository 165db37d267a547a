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

// TestRequestsAreKeptForAnHour: by time, of the job's own user, and each report once.
func TestRequestsAreKeptForAnHour(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	report := func(job policy.JobID, minute int, count float64) bridge.RequestReport {
		return bridge.RequestReport{Job: job, User: "ann", RequestCount: bridge.RequestCount{At: t0.Add(time.Duration(minute) * time.Minute), Count: count}}
	}
	of := func(minute int, j policy.Job) []bridge.RequestCount {
		past, err := d.Past(t.Context(), cluster, t0.Add(time.Duration(minute)*time.Minute))
		must(t, err)
		if past.RequestsOf == nil {
			return nil
		}
		return past.RequestsOf(&j)
	}
	ann := policy.Job{ID: 7, User: "ann", Arrive: t0}
	if got := of(0, ann); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
	must(t, d.RecordRequests(t.Context(), cluster, nil))
	must(t, d.RecordRequests(t.Context(), cluster, []bridge.RequestReport{report(7, 2, 30), report(7, 1, 10), report(8, 2, 5)}))
	must(t, d.RecordRequests(t.Context(), cluster, []bridge.RequestReport{report(7, 2, 99), report(7, 3, 20)}))
	if diff := cmp.Diff([]bridge.RequestCount{report(7, 1, 10).RequestCount, report(7, 2, 30).RequestCount, report(7, 3, 20).RequestCount}, of(4, ann)); diff != "" {
		t.Error(diff)
	}
	for name, j := range map[string]policy.Job{"another's": {ID: 7, User: "bob", Arrive: t0}, "submitted later": {ID: 7, User: "ann", Arrive: t0.Add(time.Hour)}, "silent": {ID: 9, User: "ann"}} {
		if got := of(4, j); len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	must(t, d.RecordRequests(t.Context(), cluster, []bridge.RequestReport{report(8, 62, 6)}))
	if got := of(4, ann); len(got) != 2 || got[0].Count != 30 {
		t.Errorf("an hour later: %+v", got)
	}
}

// TestUsualRequests: the median of an hour of the day over a week, once three days have it; what a replica counts anew counts, too.
func TestUsualRequests(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	day := t0.Truncate(24 * time.Hour)
	total := 0.0
	for i, requests := range []float64{3600, 7200, 36000} {
		for _, more := range []float64{0, requests / 2, requests / 2} {
			total += more
			at := day.Add(time.Duration(i)*24*time.Hour + 10*time.Hour + time.Duration(total/36000*float64(time.Minute)))
			must(t, d.RecordRequests(t.Context(), cluster, []bridge.RequestReport{{Job: 7, Account: "web", User: "ann", Service: "chat", RequestCount: bridge.RequestCount{At: at, Count: total}}}))
		}
	}
	for name, c := range map[string]struct {
		days int // after the first
		want map[string]map[int]float64
	}{"two days": {1, map[string]map[int]float64{}}, "three": {2, map[string]map[int]float64{"web/ann/chat": {10: 2}}}, "long ago": {30, map[string]map[int]float64{}}} {
		past, err := d.Past(t.Context(), cluster, day.Add(time.Duration(c.days)*24*time.Hour+20*time.Hour))
		must(t, err)
		if diff := cmp.Diff(c.want, past.UsualRequests); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
