package services

import (
	"math"
	"testing"

	"fairbridge/policy/solve/servers"
)

// looser has service times as spread as exponential ones.
var looser = Promise{ServiceSeconds: .1, ServiceSigma: .8326, WithinSeconds: .4, Part: .97}

// evenDay has rates of which each holds for so many steps; the counts are even.
func evenDay(steps int, rates ...float64) *Day {
	d := &Day{}
	for _, rate := range rates {
		for range steps {
			d.RatePerSecond = append(d.RatePerSecond, rate)
			d.Counts = append(d.Counts, int(rate*StepSeconds))
		}
	}
	return d
}

func lateIn(m Minutes, from, to int) float64 {
	late, of := 0, 0
	for i := from; i < to; i++ {
		late, of = late+m.Late[i], of+m.Requests[i]
	}
	return float64(late) / float64(of)
}

// TestLikeTheQueue: where attempts take no time, back-ends that all front-ends use answer about as many requests late as the
// queue M/M/n says.
func TestLikeTheQueue(t *testing.T) {
	c := defaultFrontEnds(looser, 5)
	c.AttemptSeconds, c.RetrySeconds, c.Sigmas = 1e-6, 1e-4, 100 // all five at all times
	r := runFrontEnds(c, evenDay(1000, 35), 0, 10_000, 1)
	want := servers.Requests{PerSecond: 35, ServiceSeconds: .1, WithinSeconds: .4}.LateProbability(5)
	if got := lateIn(r.Minutes, 5, 166); math.Abs(got-want) > .35*want {
		t.Errorf("%.4f late, want about %.4f", got, want)
	}
	if r.BackEndSeconds != 5*10_020 {
		t.Errorf("%.0f s of back-ends, want five at all times", r.BackEndSeconds)
	}
}

// TestScales: when three times as many requests come, answers are late until called back-ends are ready; when few are left, back-ends
// leave once they were not used for long enough.
func TestScales(t *testing.T) {
	for _, n := range []int{1, 4} {
		c := defaultFrontEnds(looser, 40)
		c.FrontEnds = n
		r := runFrontEnds(c, evenDay(360, 30, 90, 10), 0, 3*3600, 1)
		if before, during, after := lateIn(r.Minutes, 20, 60), lateIn(r.Minutes, 60, 63), lateIn(r.Minutes, 70, 120); before > .03 || during < .5 || after > .03 {
			t.Errorf("%d front-ends: %.4f late before, %.4f while back-ends are set up, %.4f after", n, before, during, after)
		}
		least := clairvoyantBackEnds(c, evenDay(360, 30, 90, 10), 0, 3*3600)
		if part := r.BackEndSeconds / least; part < .8 || part > 1.35 {
			t.Errorf("%d front-ends: %.2f times the back-ends of who knows all", n, part)
		}
		quiet := runFrontEnds(c, evenDay(360, 30, 90, 0), 0, 3*3600, 1)
		if quiet.BackEndSeconds >= r.BackEndSeconds || r.Attempts < 468_000 {
			t.Errorf("%d front-ends: without requests back-ends stay: %.0f s, with some %.0f s; %d attempts", n, quiet.BackEndSeconds, r.BackEndSeconds, r.Attempts)
		}
	}
}

// TestCannotKeepUp: what is never answered is late.
func TestCannotKeepUp(t *testing.T) {
	r := runFrontEnds(defaultFrontEnds(looser, 2), evenDay(60, 40), 0, 600, 1)
	if late := lateIn(r.Minutes, 2, 10); late < .99 {
		t.Errorf("%.3f late", late)
	}
}
