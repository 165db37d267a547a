package learn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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
	back, err := learn.ParseModel(text)
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
		if diff := cmp.Diff(m.RunTimeDistOf(&runs[i].Job), back.RunTimeDistOf(&runs[i].Job), cmp.AllowUnexported(learn.RunTimeDist{})); diff != "" {
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
		d := m.RunTimeDistOf(&r.Job)
		n++
		if d.QuantileLeft(.1, 0) <= r.Ran && r.Ran <= d.QuantileLeft(.9, 0) {
			in++
		}
		if r.Ran <= d.QuantileLeft(.5, 0) {
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

// uniform is a history of one kind of job.
func uniform(n int, j learn.Job, ran func(i int) time.Duration) []learn.Run {
	runs := make([]learn.Run, n)
	for i := range runs {
		at := start.Add(time.Duration(i) * time.Hour)
		runs[i] = learn.Run{Job: j, Start: at, End: at.Add(ran(i)), Ran: ran(i)}
	}
	return runs
}

func TestLeft(t *testing.T) {
	job := learn.Job{User: "ann", Account: "bio", Name: "fold", GPUs: 2}
	limited := job
	limited.Limit = 2 * time.Hour
	stranger := learn.Job{User: "bob", Account: "nlp", Name: "tune", GPUs: 64}
	same := uniform(50, job, func(int) time.Duration { return time.Hour })
	two := uniform(200, job, func(i int) time.Duration { return []time.Duration{time.Minute, 10 * time.Hour}[i%2] })
	for _, c := range []struct {
		name     string
		runs     []learn.Run
		job      learn.Job
		ran      time.Duration
		from, to time.Duration
	}{
		{"nothing known", nil, stranger, 0, 5 * time.Minute, 2 * time.Hour},
		{"nothing known but the limit", nil, learn.Job{Limit: time.Minute}, 0, time.Second, time.Minute},
		{"what it always takes", same, job, 0, 50 * time.Minute, 70 * time.Minute},
		{"the rest of it", same, job, 30 * time.Minute, 20 * time.Minute, 40 * time.Minute},
		{"never past the limit", same, limited, 90 * time.Minute, time.Second, 30 * time.Minute},
		{"at the limit", same, limited, 2 * time.Hour, 0, 0},
		{"a stranger is like all", same, stranger, 0, 20 * time.Minute, 3 * time.Hour},
		{"past the short ones", two, job, 10 * time.Minute, 9 * time.Hour, 11 * time.Hour},
		{"longer than any ever", same, job, 24 * 365 * time.Hour, 24 * time.Hour, 10000 * 24 * time.Hour},
		{"longer than the scale", same, job, 24 * 3650 * time.Hour, 24 * 3650 * time.Hour, 24 * 3650 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := learn.Fit(c.runs, 0).RunTimeDistOf(&c.job)
			left, sigma := d.MedianLeft(c.ran)
			if left < c.from || left > c.to || sigma < 0 {
				t.Errorf("%v left, standard error %v; want %v to %v", left, sigma, c.from, c.to)
			}
			if mean, s := d.MeanLeft(c.ran); mean < 0 || s < 0 || c.job.Limit > 0 && mean > max(c.job.Limit-c.ran, 0)+time.Second {
				t.Errorf("mean %v, standard deviation %v", mean, s)
			}
		})
	}
}

// TestLaws wants of any history: quantiles that grow, stay within the limit,
// and foresee an end no earlier the longer a job has run.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		runs := days(rapid.Uint64().Draw(r, "history"), rapid.IntRange(0, 400).Draw(r, "runs"))
		j := learn.Job{User: fmt.Sprint("u", rapid.IntRange(0, 25).Draw(r, "user")), Name: rapid.SampledFrom([]string{"p1", "p2", "new", ""}).Draw(r, "name"),
			GPUs: rapid.IntRange(0, 9).Draw(r, "gpus"), Limit: time.Duration(rapid.IntRange(0, 200000).Draw(r, "limit")) * time.Second}
		d := learn.Fit(runs, 0).RunTimeDistOf(&j)
		ran := time.Duration(rapid.IntRange(0, 100000).Draw(r, "ran")) * time.Second
		last := time.Duration(0)
		for _, q := range []float64{.01, .1, .5, .84, .9, .99, 1} {
			left, later := d.QuantileLeft(q, ran), d.QuantileLeft(q, ran+time.Hour)
			if left < last || j.Limit > 0 && ran+left > max(j.Limit, ran)+time.Second {
				r.Errorf("quantile %v of what is left after %v is %v, after one of %v, with limit %v", q, ran, left, last, j.Limit)
			}
			if (j.Limit == 0 || ran+time.Hour < j.Limit) && later+time.Hour+2*time.Second < left {
				r.Errorf("quantile %v: after %v it ends in %v, an hour later in %v", q, ran, left, later)
			}
			last = left
		}
	})
}

func TestParseRefuses(t *testing.T) {
	text, err := json.Marshal(learn.Fit(days(1, 300), 0))
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]string{
		"junk":            "{",
		"another version": strings.Replace(string(text), `"version":2`, `"version":99`, 1),
		"unknown texts":   strings.Replace(string(text), `"texts":["",`, `"texts":["","",`, 1),
		"fewer texts":     regexp.MustCompile(`"texts":\[.*?\]`).ReplaceAllString(string(text), `"texts":[""]`),
		"negative":        strings.Replace(string(text), `"runs":`, `"runs":-`, 2),
		"other levels":    strings.Replace(string(text), `"name":"account"`, `"name":"county"`, 1),
	} {
		if _, err := learn.ParseModel([]byte(bad)); err == nil || bad == string(text) {
			t.Errorf("%s: taken", what)
		}
	}
}

// TestOldWaysAreForgotten: a program that became slower is slow, soon.
func TestOldWaysAreForgotten(t *testing.T) {
	job := learn.Job{User: "ann", Name: "fold", GPUs: 1}
	m := learn.Fit(uniform(300, job, func(i int) time.Duration {
		if i < 280 {
			return 10 * time.Minute
		}
		return 5 * time.Hour
	}), 0)
	if left, _ := m.RunTimeDistOf(&job).MedianLeft(0); left < 3*time.Hour {
		t.Errorf("%v, after twenty runs of 5 h", left)
	}
}

// TestAddedIsFitted: runs added one by one and compacted give the model that is
// made at once from as few, but for the trust, which only predicting in turn tells.
func TestAddedIsFitted(t *testing.T) {
	runs := days(4, 70) // too few to tune
	slices.SortStableFunc(runs, func(a, b learn.Run) int { return a.End.Compare(b.End) })
	m := learn.New()
	for i := range runs {
		m.AddRun(&runs[i])
	}
	slices.Reverse(runs)
	fitted := learn.Fit(runs, 0)
	m.Trust = fitted.Trust
	m.Compact(0)
	one, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(fitted)
	if err != nil {
		t.Fatal(err)
	}
	if string(one) != string(other) {
		t.Error("the models differ")
	}
}
