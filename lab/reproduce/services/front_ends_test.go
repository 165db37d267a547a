package services

import (
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/policy/solve/servers"
)

// frontEndConfig is a service and its front-ends.
type frontEndConfig struct {
	Promise
	FrontEnds      int     // each gets requests at random
	BackEnds       int     // that there may be
	SetupSeconds   float64 // from the call of a back-end until it takes requests
	RetireSeconds  float64 // for which a back-end is not used before it leaves
	AttemptSeconds float64 // that an attempt at a busy back-end takes
	RetrySeconds   float64 // after which a front-end that found all its back-ends busy tries again, with the request that came first
	WindowSteps    int     // of StepSeconds, for which requests are counted
	TrendWindows   int     // through whose rates the line is drawn
	Sigmas         float64 // of a counted rate, above what is expected
}

// defaultFrontEnds is a service as in the reproduction: four front-ends, counts of half a minute, a line through five minutes.
func defaultFrontEnds(p Promise, backEnds int) frontEndConfig {
	return frontEndConfig{
		Promise: p, FrontEnds: 4, BackEnds: backEnds, SetupSeconds: 120, RetireSeconds: 600,
		AttemptSeconds: .001, RetrySeconds: .01, WindowSteps: 3, TrendWindows: 10, Sigmas: 2,
	}
}

// frontEndResult is what became of the requests, and what they took.
type frontEndResult struct {
	Minutes
	BackEndSeconds float64 // for which back-ends were set up or ready
	Attempts       int     // in all
}

// backEnd is one in the order in which all front-ends use them.
type backEnd struct {
	isCalled                    bool
	readyAt, busyUntil, lastUse float64
}

// frontEnd is one, with what it saw.
type frontEnd struct {
	counts []int // by window, the last one under way
	uses   int   // of the back-ends, the first so many

	line    []request // that found them all busy
	retryAt float64   // the first of them is tried again
}

// frontEndRun simulates how Swayam itself scales a service: several front-ends, none of which asks another, and
// back-ends that start when one of them calls them and leave when none has used them for a while.
//
// A. Gujarati, S. Elnikety, Y. He, K. S. McKinley, B. B. Brandenburg, "Swayam: Distributed Autoscaling to Meet SLAs of
// Machine Learning Inference Services with Resource Efficiency", Middleware 2017. How long an attempt takes and when a front-end
// that found all back-ends busy tries again is not known, and is a setting.
type frontEndRun struct {
	frontEndConfig
	*rand.Rand
	frontEndResult
	backEnds  []backEnd
	frontEnds []frontEnd
}

// runFrontEnds plays a day from a second on for so many seconds. Back-ends that the rate of the first step needs are ready.
func runFrontEnds(c frontEndConfig, d *Day, from, seconds int, seed uint64) frontEndResult {
	s := &frontEndRun{frontEndConfig: c, Rand: rand.New(rand.NewPCG(seed, 9)), backEnds: make([]backEnd, c.BackEnds), frontEnds: make([]frontEnd, c.FrontEnds)}
	s.Requests, s.Late = make([]int, (seconds+59)/60), make([]int, (seconds+59)/60)
	first, last := from/StepSeconds, (from+seconds)/StepSeconds
	for i := range s.frontEnds {
		s.frontEnds[i].uses = s.countNeeded(d.RatePerSecond[first])
	}
	for i := range s.frontEnds[0].uses {
		s.backEnds[i].isCalled = true
	}
	for step := first; step < last; step++ {
		now := float64((step - first) * StepSeconds)
		if (step-first)%c.WindowSteps == 0 {
			s.scale(now)
		}
		s.playStep(now, d.Counts[step])
	}
	for i := range s.frontEnds {
		for _, r := range s.frontEnds[i].line { // never answered
			s.Late[int(r.came/60)]++
		}
	}
	return s.frontEndResult
}

// clairvoyantBackEnds returns for how many seconds there would be back-ends if in every step as many were there as the greatest rate
// needs from then until one that is called then is ready, with the set-up of each, and none left before it had not been needed
// for RetireSeconds.
func clairvoyantBackEnds(c frontEndConfig, d *Day, from, seconds int) (total float64) {
	first, last := from/StepSeconds, (from+seconds)/StepSeconds
	behind, ahead := int(c.RetireSeconds)/StepSeconds, int(c.SetupSeconds)/StepSeconds
	for step := first; step < last; step++ {
		rates := d.RatePerSecond[max(step-behind, first):min(step+ahead+1, last)]
		total += float64(c.countNeeded(slices.Max(rates)) * StepSeconds)
	}
	return total
}

// countNeeded counts the back-ends that keep the promise at a rate.
func (c *frontEndConfig) countNeeded(perSecond float64) int {
	requests := servers.Requests{PerSecond: perSecond, ServiceSeconds: c.ServiceSeconds, WithinSeconds: c.WithinSeconds}
	n, _ := requests.LeastServers(c.Part, c.BackEnds)
	return n
}

// scale lets each front-end look ahead and call back-ends, and back-ends leave that none has used for long.
func (s *frontEndRun) scale(now float64) {
	for i := range s.frontEnds {
		f := &s.frontEnds[i]
		if len(f.counts) > 0 {
			f.uses = s.countNeeded(s.forecast(f))
		}
		f.counts = append(f.counts, 0)
		for k := range f.uses {
			if b := &s.backEnds[k]; !b.isCalled {
				*b = backEnd{isCalled: true, readyAt: now + s.SetupSeconds, lastUse: now + s.SetupSeconds}
			}
		}
	}
	for k := range s.backEnds {
		b := &s.backEnds[k]
		if b.isCalled && b.busyUntil <= now && now-b.lastUse > s.RetireSeconds {
			b.isCalled = false
		}
		if b.isCalled {
			s.BackEndSeconds += float64(s.WindowSteps * StepSeconds)
		}
	}
}

// forecast is the rate of all requests that a front-end expects once a back-end is ready that it calls now. It takes all front-ends
// to have as many as it; what chance does to its own part counts as many times as there are of them.
func (s *frontEndRun) forecast(f *frontEnd) float64 {
	window := float64(s.WindowSteps * StepSeconds)
	h := servers.History{WindowSeconds: window, Sigmas: s.Sigmas * math.Sqrt(float64(s.FrontEnds))}
	for _, n := range f.counts[max(len(f.counts)-s.TrendWindows, 0):] {
		h.Rates = append(h.Rates, float64(n*s.FrontEnds)/window)
	}
	return h.ForecastRate(s.SetupSeconds)
}
