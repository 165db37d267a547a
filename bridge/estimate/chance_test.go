package estimate_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge/estimate"
	"fairbridge/policy"
)

// band is one that was made at noon.
func band(early, middle, late time.Duration) estimate.Band {
	return estimate.Band{Early: noon.Add(early), Middle: noon.Add(middle), Late: noon.Add(late)}
}

// runTime is that of a job of which so much is predicted, within a limit.
func runTime(median, sigma, limit time.Duration) estimate.RunTime {
	s := &policy.Snapshot{Now: noon, Jobs: []policy.Job{{ID: 1, State: policy.Pending, PredictedLeft: median, PredictedSigma: sigma, Limit: limit, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}}}}
	return estimate.NewRunTimes(s)(&s.Jobs[0])
}

// Where nothing is known of the run the edges of a band are its quantiles; beyond them the chance goes to its bounds.
func TestUncorrectedChances(t *testing.T) {
	c := (&estimate.Calibration{}).Chances(noon, band(time.Hour, 2*time.Hour, 6*time.Hour), estimate.RunTime{})
	for by, want := range map[time.Duration]float64{-time.Minute: .03, 0: .03, time.Hour: .1, 2 * time.Hour: .5, 6 * time.Hour: .9, 10_000 * time.Hour: .97} {
		if got := c.Uncorrected(noon.Add(by)); math.Abs(got-want) > 1e-6 {
			t.Errorf("within %v: %v, want %v", by, got, want)
		}
	}
	sure := (&estimate.Calibration{}).Chances(noon, band(time.Hour, time.Hour, time.Hour), estimate.RunTime{})
	if a, z := sure.Uncorrected(noon.Add(59*time.Minute)), sure.Uncorrected(noon.Add(65*time.Minute)); a > .1 || z < .9 {
		t.Errorf("of a moment that is known: %v before, %v after", a, z)
	}
}

// A deadline before a run that starts at once is thought to be done tells that its owner knows better; one that a job waits for does not.
func TestOwnersKnowTheirRuns(t *testing.T) {
	end, by := band(time.Hour, 2*time.Hour, 4*time.Hour), noon.Add(90*time.Minute)
	chance := func(run estimate.RunTime) float64 {
		c := (&estimate.Calibration{}).Chances(noon, end, run)
		return c.Uncorrected(by)
	}
	waits, starts := chance(runTime(time.Minute, time.Minute, 0)), chance(runTime(2*time.Hour, 2*time.Hour, 0))
	if plain := chance(estimate.RunTime{}); math.Abs(waits-plain) > .01 || starts < plain+.1 {
		t.Errorf("%.2f, of a job of a minute that waits %.2f, of one of two hours that starts at once %.2f", plain, waits, starts)
	}
	if within := chance(runTime(2*time.Hour, 2*time.Hour, time.Hour)); math.Abs(within-waits) > .01 {
		t.Errorf("%.2f where its time limit ends it before", within)
	}
}

// The time of a chance is the first at which it is reached, and chances stay within their bounds.
func TestTimeOfChance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(0, 500_000).Draw(t, name)) * time.Second
		}
		early := span("early")
		middle := early + span("middle")
		run := runTime(span("run")+time.Second, span("sigma"), span("limit"))
		c := (&estimate.Calibration{}).Chances(noon, band(early, middle, middle+span("late")), run)
		at := c.TimeOf(.8)
		if got := c.By(at); got < .8-1e-9 || got > .95 {
			t.Fatalf("a chance of %v at %v", got, at.Sub(noon))
		}
		if before := c.By(at.Add(-2 * time.Minute)); at.Sub(noon) > 3*time.Minute && before >= .8 {
			t.Fatalf("a chance of %v two minutes before %v already", before, at.Sub(noon))
		}
	})
}

// promisesMet are outcomes of chances that are met so often.
func promisesMet(count int, share func(chance float64) float64) []estimate.PromiseOutcome {
	r := rand.New(rand.NewPCG(3, 4))
	all := make([]estimate.PromiseOutcome, count)
	for i := range all {
		all[i].Uncorrected = .03 + .94*r.Float64()
		all[i].IsMet = r.Float64() < share(all[i].Uncorrected)
	}
	return all
}

// Chances become what share of such promises was met, the more so the more there are, and what came lately counts most.
func TestPromisesCorrectChances(t *testing.T) {
	corrected := func(all []estimate.PromiseOutcome, at time.Duration) float64 {
		k := &estimate.Calibration{}
		k.LearnPromises(all)
		c := k.Chances(noon, band(time.Hour, 2*time.Hour, 6*time.Hour), estimate.RunTime{})
		return c.By(noon.Add(at))
	}
	half := func(p float64) float64 { return p / 2 }
	assumed := corrected(nil, 6*time.Hour)
	few, many := corrected(promisesMet(10, half), 6*time.Hour), corrected(promisesMet(400, half), 6*time.Hour)
	if math.Abs(assumed-.9) > 1e-6 || few > assumed || many > few || math.Abs(many-.45) > .1 {
		t.Errorf("of nine in ten, of which half as many are met: %.2f, after ten promises %.2f, after 400 %.2f", assumed, few, many)
	}
	if got := corrected(nil, time.Hour); got < .15 || got > .3 { // what seems unlikely comes more often
		t.Errorf("one in ten is told as %.2f", got)
	}
	honest, late := promisesMet(400, func(p float64) float64 { return p }), promisesMet(300, half)
	if got := corrected(append(honest, late...), 6*time.Hour); math.Abs(got-many) > .1 {
		t.Errorf("%.2f after a change, want about %.2f", got, many)
	}
	for _, met := range []float64{0, 1} { // all or nothing: still within bounds, and never falling with time
		last := 0.
		for h := range 48 {
			got := corrected(promisesMet(500, func(float64) float64 { return met }), time.Duration(h)*time.Hour/4)
			if got < last || got < .05 || got > .95 {
				t.Fatalf("all %v: %v after %v", met, got, last)
			}
			last = got
		}
	}
}

// Where nearly all that was told to be near sure came to nothing, little is told from then on, however many there were: the fit does
// not leap to and fro.
func TestPromisesThatDoNotHold(t *testing.T) {
	sure := band(time.Minute, time.Minute, time.Minute)
	for _, c := range []struct {
		count, metEvery int
		least, most     float64
	}{{500, 0, 0, .15}, {300, 50, 0, .2}, {500, 5, .15, .3}, {40, 0, 0, .35}, {500, 1, .95, 1}} {
		all := make([]estimate.PromiseOutcome, c.count)
		for i := range all {
			all[i] = estimate.PromiseOutcome{Uncorrected: .97, IsMet: c.metEvery > 0 && i%c.metEvery == 0}
		}
		var k estimate.Calibration
		k.LearnPromises(all)
		chances := k.Chances(noon, sure, estimate.RunTime{})
		if got := chances.By(noon.Add(1000 * time.Hour)); got < c.least || got > c.most {
			t.Errorf("of %d with one of %d met: %.3f is told, want %v to %v", c.count, c.metEvery, got, c.least, c.most)
		}
	}
}
