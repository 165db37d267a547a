package interference_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/interference"
)

const (
	tiny, medium, jumbo = interference.Tiny, interference.Medium, interference.Jumbo
)

// busy is a job whose GPU computes that share of the time, alone.
func busy(share float64) *policy.Job {
	return &policy.Job{Shareable: true, Sharing: &policy.Sharing{Utilisation: policy.KnownValue(share)}}
}

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestClassOf(t *testing.T) {
	measured := &policy.Job{Utilisation: policy.KnownValue(.3)}
	for _, c := range []struct {
		job   *policy.Job
		want  interference.Class
		known bool
	}{
		{busy(0), tiny, true}, {busy(.249), tiny, true}, {busy(.25), medium, true}, {busy(.529), medium, true}, {busy(.53), jumbo, true}, {busy(1), jumbo, true},
		{measured, medium, true}, {&policy.Job{}, jumbo, false}, {&policy.Job{Sharing: &policy.Sharing{MemMB: 1}}, jumbo, false},
	} {
		if got, known := interference.ClassOf(c.job); got != c.want || known != c.known {
			t.Errorf("%+v: %v %v, want %v %v", c.job.Sharing, got, known, c.want, c.known)
		}
	}
}

// TestPublished: rows of the published pairs, at their edges.
func TestPublished(t *testing.T) {
	for sum, want := range map[float64]float64{0: .98, .19: .98, .2: .99, .6: .99, .99: .97, 1: .93, 1.2: .87, 1.5: .80, 1.8: .68, 2: .68, 2.4: .68} {
		near(t, "mean of two", interference.PairAt(sum).Mean, want, 0)
	}
	near(t, "low", interference.PairAt(1.7).Low, .63, 0)
	for _, c := range []struct {
		a, b         interference.Class
		mean, slower float64
	}{{tiny, tiny, 1.01, .965}, {tiny, medium, .99, .94}, {jumbo, tiny, .95, .91}, {medium, medium, .95, .91}, {medium, jumbo, .86, .80}, {jumbo, jumbo, .76, .68}} {
		near(t, "mean of classes", interference.PairOf(c.a, c.b).Mean, c.mean, 0)
		near(t, "slower of classes", interference.SlowerOf(c.a, c.b).Mean, c.slower, 0)
	}
	near(t, "sigma", interference.PairOf(jumbo, jumbo).Sigma(), .1092, 1e-4)
}

// TestLow: bounds widen with the number of standard errors.
func TestLow(t *testing.T) {
	e := interference.JobBeside(&policy.Job{}, &policy.Job{})
	near(t, "one in ten", e.Low(1.2816), .76*math.Exp(-.14/.76), 1e-3)
	if e.Low(1) >= e.Speed || e.Low(2) >= e.Low(1) {
		t.Errorf("bounds %v, then %v", e.Low(1), e.Low(2))
	}
}

// TestSpeeds: as published for the sum of utilisations, class by class where one is not known, and
// each is slowed by each of the others.
func TestSpeeds(t *testing.T) {
	unknown := &policy.Job{}
	for name, c := range map[string]struct {
		jobs []*policy.Job
		want []float64
	}{
		"alone":              {[]*policy.Job{busy(.9)}, []float64{1}},
		"two":                {[]*policy.Job{busy(.9), busy(.2)}, []float64{.93, .93}},
		"none is faster":     {[]*policy.Job{busy(.2), busy(.3)}, []float64{1, 1}},
		"one is not known":   {[]*policy.Job{busy(.1), unknown}, []float64{.95, .95}},
		"neither is":         {[]*policy.Job{unknown, unknown}, []float64{.76, .76}},
		"three":              {[]*policy.Job{busy(.6), busy(.6), busy(.9)}, []float64{.87 * .80, .87 * .80, .8 * .8}},
		"nobody, no trouble": {nil, nil},
	} {
		for i, got := range interference.Speeds(c.jobs) {
			near(t, name, got, c.want[i], 1e-9)
		}
	}
}

func TestShards(t *testing.T) {
	for _, c := range []struct {
		class interference.Class
		gb    int64
		want  int
	}{{tiny, 4, 1}, {medium, 10, 2}, {tiny, 15, 3}, {tiny, 23, 4}, {medium, 40, 4}, {jumbo, 1, 4}, {tiny, 0, 4}} {
		if got := interference.Shards(c.class, c.gb*1024, 24*1024, 1024, 4); got != c.want {
			t.Errorf("%v of %d GB: %d shards, want %d", c.class, c.gb, got, c.want)
		}
	}
	if got := interference.Shards(tiny, 100, 0, 1024, 4); got != 4 {
		t.Errorf("of a GPU of unknown memory: %d", got)
	}
}

// TestLaws: speeds are above 0 and at most 1, and never more with another job.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs []*policy.Job
		for range rapid.IntRange(1, 5).Draw(t, "jobs") {
			j := &policy.Job{}
			if rapid.Bool().Draw(t, "known") {
				j = busy(rapid.Float64Range(0, 1).Draw(t, "busy"))
			}
			jobs = append(jobs, j)
		}
		more := interference.Speeds(jobs)
		for i, fewer := range interference.Speeds(jobs[:len(jobs)-1]) {
			if more[i] <= 0 || more[i] > fewer || fewer > 1 {
				t.Fatalf("%v with all, %v without the last", more[i], fewer)
			}
		}
	})
}
