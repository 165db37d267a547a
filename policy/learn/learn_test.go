package learn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy/learn"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// days are runs of people who each have some programs, one an hour.
func days(seed uint64, n int) []learn.Run {
	r := rand.New(rand.NewPCG(seed, 7))
	runs := make([]learn.Run, n)
	for i := range runs {
		u, p := r.IntN(20), r.IntN(5)
		mean := math.Exp(6 + 3*math.Sin(float64(u*17+p*5)))
		ran := time.Duration(mean*math.Exp(.3*r.NormFloat64())) * time.Second
		at := start.Add(time.Duration(i) * time.Hour)
		runs[i] = learn.Run{Job: learn.Job{User: fmt.Sprint("u", u), Account: fmt.Sprint("a", u%4), Name: fmt.Sprintf("p%d", p), GPUs: 1 << r.IntN(4), Limit: 48 * time.Hour},
			Start: at, End: at.Add(ran), Ran: ran}
	}
	return runs
}

func stored(t testing.TB, m *learn.Model) *learn.Model {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := learn.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(text) {
		t.Fatalf("a model read back is stored otherwise: %v", err)
	}
	return back
}

func TestAStoredModelPredictsTheSame(t *testing.T) {
	runs := days(1, 3000)
	m := learn.Fit(runs, 50)
	back := stored(t, m)
	for i := range runs[:500] {
		if diff := cmp.Diff(m.Of(&runs[i].Job), back.Of(&runs[i].Job), cmp.AllowUnexported(learn.Dist{})); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestQuantilesAreCalibrated(t *testing.T) {
	runs := days(2, 6000)
	m := learn.Fit(runs[:4000], 0)
	in, below, n := 0, 0, 0
	for i := range runs[4000:] {
		r := &runs[4000+i]
		d := m.Of(&r.Job)
		n++
		if d.Quantile(.1, 0) <= r.Ran && r.Ran <= d.Quantile(.9, 0) {
			in++
		}
		if r.Ran <= d.Quantile(.5, 0) {
			below++
		}
	}
	if c := float64(in) / float64(n); c < .74 || c > .88 {
		t.Errorf("%.3f between p10 and p90, want .8", c)
	}
	if c := float64(below) / float64(n); c < .45 || c > .55 {
		t.Errorf("%.3f below the median", c)
	}
}
