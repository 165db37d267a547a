package services

import (
	"math"
	"slices"
	"testing"

	"fairbridge/policy/solve/servers"
)

// TestRequests: a day has as many requests as its rates say, quiet and busy hours, and what is usual is near what came.
func TestRequests(t *testing.T) {
	q := Requests{PeakPerSecond: 40, BurstsPerDay: 6}
	d := q.Draw(1, 2)
	want, got, usual, usualSum := 0.0, 0, slices.Max(d.Usual), 0.0
	for i, rate := range d.RatePerSecond {
		want, got = want+rate*StepSeconds, got+d.Counts[i]
	}
	for _, x := range d.Usual {
		usualSum += 3600 * x
	}
	if math.Abs(float64(got)-want) > 4*math.Sqrt(want) {
		t.Errorf("%d requests, want %.0f", got, want)
	}
	if usual < 36 || usual > 46 || slices.Min(d.Usual) > .5*usual || math.Abs(usualSum/want-1) > .25 {
		t.Errorf("usually %.1f to %.1f a second, %.0f in all of %.0f", slices.Min(d.Usual), usual, usualSum, want)
	}
	if busiest := slices.Max(d.RatePerSecond); busiest < 1.15*usual {
		t.Errorf("no burst: %.1f a second at most", busiest)
	}
	rates := d.MeanRates(60, 6, 4)
	if len(rates) != 4 || math.Abs(rates[3]-d.RatePerSecond[57]) > 5*math.Sqrt(40./60) || len(d.MeanRates(13, 6, 4)) != 2 {
		t.Errorf("%v", rates)
	}
	if again := q.Draw(1, 2); !slices.Equal(again.Counts, d.Counts) || slices.Equal(q.Draw(2, 2).Counts, d.Counts) {
		t.Error("chance is not that of the seed")
	}
}

// TestAnswers: with times that vary like exponential ones about as many answers are late as the queue M/M/n says; with fewer
// servers than there is work all are, in the end, and what no server takes is late.
func TestAnswers(t *testing.T) {
	day := Day{}
	for range 1998 {
		day.Counts = append(day.Counts, 400+len(day.Counts)%2) // 40 a second, evenly
	}
	promise := Promise{ServiceSeconds: .1, ServiceSigma: .8326, WithinSeconds: .4, Part: .99} // as spread as exponential
	all := func(n int) (s []Server) {
		for range n {
			s = append(s, Server{Until: math.Inf(1)})
		}
		return s
	}
	for n, want := range map[int]float64{3: 1, 6: servers.Requests{PerSecond: 40, ServiceSeconds: .1, WithinSeconds: .4}.LateProbability(6)} {
		m := promise.Answer(&day, all(n), 1, 0)
		late, of := 0, 0
		for i := range m.Late {
			late, of = late+m.Late[i], of+m.Requests[i]
		}
		if got := float64(late) / float64(of); got < .7*want || got > 1.3*want+.001 {
			t.Errorf("%d servers: %.4f late, want %.4f", n, got, want)
		}
	}
	some := all(6)
	for i := range some[1:] {
		some[i].Until = 10_000
	}
	m := promise.Answer(&day, some, 1, 2)
	if kept, of := m.CountKept(0, .9); kept < 42 || kept > 48 || of != 93 { // minutes 120 to 180 and 300 to 333
		t.Errorf("%d of %d minutes are kept, want those of 10,000 s", kept, of)
	}
	if kept, _ := promise.Answer(&day, nil, 1, 0).CountKept(0, .9); kept != 0 {
		t.Errorf("without servers %d minutes are kept", kept)
	}
}
