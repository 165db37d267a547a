// Package servers says how many servers a stream of requests needs for its answers to be in time, and
// at what rate requests will come.
//
// Requests come at random at a rate, wait in one line and are served by the first free of n like servers, each
// in a time that is exponential about its mean: the queue M/M/n (A. K. Erlang, 1917). It is the estimator of the system
// Swayam here: A. Gujarati, S. Elnikety, Y. He, K. S. McKinley, B. B. Brandenburg, "Swayam: Distributed Autoscaling to
// Meet SLAs of Machine Learning Inference Services with Resource Efficiency", Middleware 2017. Where service times vary
// less than that it is on the safe side.
package servers

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Requests are what is served, and how fast answers are to be.
type Requests struct {
	PerSecond      float64 // that come
	ServiceSeconds float64 // that one takes on a server, in the mean; above 0
	WithinSeconds  float64 // in which an answer is in time, counted from when its request came
}

// WaitProbability returns the part of requests that find n servers busy (Erlang's C); 1 where they
// cannot keep up.
func (r Requests) WaitProbability(n int) float64 {
	load := r.PerSecond * r.ServiceSeconds
	if load >= float64(n) {
		return 1
	}
	blocked := 1.0 // Erlang's B of no server, from which that of one more follows
	for k := 1; k <= n; k++ {
		blocked = load * blocked / (float64(k) + load*blocked)
	}
	return blocked / (1 - load/float64(n)*(1-blocked))
}

// LateProbability returns the part of answers that n servers give too late; 1 where they cannot keep up.
func (r Requests) LateProbability(n int) float64 {
	rate := 1 / r.ServiceSeconds
	spare := float64(n)*rate - r.PerSecond
	if spare <= 0 {
		return 1
	}
	alone := math.Exp(-rate * r.WithinSeconds)
	waits := r.WaitProbability(n)
	if more := spare - rate; math.Abs(more*r.WithinSeconds) > 1e-6 {
		return min(alone+waits*rate/more*(alone-math.Exp(-spare*r.WithinSeconds)), 1)
	}
	return min(alone+waits*rate*r.WithinSeconds*alone, 1)
}

// LeastServers returns the fewest servers that answer at least a part of the requests in time, and can keep
// up with them. ok is false where no number does, as too many take too long on a server alone, or
// more than most would be needed: then it is most.
func (r Requests) LeastServers(part float64, most int) (n int, ok bool) {
	inTime := func(n int) bool { return r.LateProbability(n) <= 1-part }
	if !inTime(most) {
		return most, false
	}
	low, high := 0, most // low does not do, high does
	for low+1 < high {
		if middle := (low + high) / 2; inTime(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// History is how many requests a second came in the last windows of time, all of one length, and at which rate
// they usually come.
type History struct {
	WindowSeconds float64   // of each rate; above 0
	Rates         []float64 // the last window's last; none: nothing is known
	Usual         float64   // at the time that is forecast; 0: not known
	// Sigmas is by how many standard errors of a rate counted in a window the forecast is above what is expected.
	Sigmas float64
}

// ForecastRate returns the rate that is to be provided for so many seconds from now: the greatest of what the
// line through the rates says, what is usual then, and the last rate, and a margin for what chance does to a count.
func (h History) ForecastRate(ahead float64) float64 {
	expected := h.Usual
	if n := len(h.Rates); n > 0 {
		expected = max(expected, h.Rates[n-1])
	}
	if n := len(h.Rates); n > 1 {
		ages := make([]float64, n)
		for i := range ages {
			ages[i] = h.WindowSeconds * (float64(i-n) + .5)
		}
		intercept, slope := stat.LinearRegression(ages, h.Rates, nil, false)
		expected = max(expected, intercept+slope*ahead)
	}
	return expected + h.Sigmas*math.Sqrt(expected/h.WindowSeconds)
}
