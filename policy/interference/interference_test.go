package interference_test

import (
	"encoding/json"
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
	}{{tiny, tiny, 1.01, .965}, {tiny, medium, .99, .94}, {jumbo, tiny, .95, .91}, {medium, medium, .95, .91}, {medium, jumbo, .86, .80}, {jumbo, jumbo, .76, .68}, {-1, 7, .76, .68}} {
		near(t, "mean of classes", interference.PairOf(c.a, c.b).Mean, c.mean, 0)
		near(t, "slower of classes", interference.SlowerOf(c.a, c.b).Mean, c.slower, 0)
	}
	near(t, "sigma", interference.PairOf(jumbo, jumbo).Sigma(), .1092, 1e-4)
}

// TestObserve: the recursive mean of the losses, with what was published as one measurement, and
// at least three tenths for the latest.
func TestObserve(t *testing.T) {
	var table interference.Table
	for i, want := range []float64{.2554, .3406, .3916, .4274} {
		if err := table.Observe(tiny, tiny, .6); err != nil {
			t.Fatal(err)
		}
		near(t, "loss", table.Cells[tiny][tiny].Loss, want, 5e-5)
		if got := table.Beside(tiny, tiny).Count; got != i+1 {
			t.Errorf("%d measurements, want %d", got, i+1)
		}
	}
	near(t, "speed", table.Beside(tiny, tiny).Speed, math.Exp(-.4274), 1e-4)
	near(t, "of another pair of classes", table.Beside(tiny, medium).Speed, .99, 1e-9)
	near(t, "the other way round", table.Beside(medium, tiny).Speed, .99, 1e-9)
}

func TestObserveRefuses(t *testing.T) {
	var table interference.Table
	for _, speed := range []float64{0, -1, .01, 3, math.NaN(), math.Inf(1)} {
		if table.Observe(tiny, tiny, speed) == nil {
			t.Errorf("believes %v", speed)
		}
	}
	if table.Observe(3, tiny, .5) == nil || table.Observe(tiny, -1, .5) == nil {
		t.Error("believes classes that are none")
	}
	if table != (interference.Table{}) {
		t.Error("what is not believed is remembered")
	}
}

// TestLow: bounds widen with the number of standard errors, and narrow where measurements agree.
func TestLow(t *testing.T) {
	var table interference.Table
	first := table.Beside(jumbo, jumbo)
	near(t, "one in ten", first.Low(1.2816), .76*math.Exp(-.14/.76), 1e-3)
	for range 20 {
		if err := table.Observe(jumbo, jumbo, .7); err != nil {
			t.Fatal(err)
		}
	}
	then := table.Beside(jumbo, jumbo)
	near(t, "learnt", then.Speed, .7, 1e-3)
	if then.Low(1) < .68 || first.Low(1) > then.Low(1) || then.Low(1) > then.Speed {
		t.Errorf("bounds %v, then %v", first.Low(1), then.Low(1))
	}
}

// TestSpeeds: as published for the sum of utilisations, class by class where measured or not known, and
// each is slowed by each of the others.
func TestSpeeds(t *testing.T) {
	var none *interference.Table
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
		for i, got := range none.Speeds(c.jobs) {
			near(t, name, got, c.want[i], 1e-9)
		}
	}
	var table interference.Table
	if err := table.Observe(jumbo, jumbo, .5); err != nil {
		t.Fatal(err)
	}
	got := table.Speeds([]*policy.Job{busy(.9), busy(.6)})
	near(t, "measured", got[0], math.Sqrt(.76*.5), 1e-9)
}

// TestTableIsKept: what is learnt survives as JSON.
func TestTableIsKept(t *testing.T) {
	var table, read interference.Table
	if err := table.Observe(medium, jumbo, .8); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(&table)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &read); err != nil || read != table {
		t.Errorf("%v, %v, want %v", err, read, table)
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
		var table interference.Table
		class := rapid.SampledFrom([]interference.Class{tiny, medium, jumbo})
		for range rapid.IntRange(0, 10).Draw(t, "measurements") {
			if err := table.Observe(class.Draw(t, "own"), class.Draw(t, "beside"), rapid.Float64Range(interference.MinSpeed, interference.MaxSpeed).Draw(t, "speed")); err != nil {
				t.Fatal(err)
			}
		}
		var jobs []*policy.Job
		for range rapid.IntRange(1, 5).Draw(t, "jobs") {
			j := &policy.Job{}
			if rapid.Bool().Draw(t, "known") {
				j = busy(rapid.Float64Range(0, 1).Draw(t, "busy"))
			}
			jobs = append(jobs, j)
		}
		more := table.Speeds(jobs)
		for i, fewer := range table.Speeds(jobs[:len(jobs)-1]) {
			if more[i] <= 0 || more[i] > fewer || fewer > 1 {
				t.Fatalf("%v with all, %v without the last", more[i], fewer)
			}
		}
	})
}
