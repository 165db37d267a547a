// Package replicas says how many replicas of an inference service are needed, by its requests and its promise, or by how busy they
// are. It chooses no replica and starts none.
//
// A. Gujarati, S. Elnikety, Y. He, K. S. McKinley, B. B. Brandenburg, "Swayam: Distributed Autoscaling to Meet SLAs of
// Machine Learning Inference Services with Resource Efficiency", Middleware 2017. Its front-ends scale out each by themselves; here
// one decision counts all.
package replicas

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/solve/servers"
)

// Rule is by what replicas are counted.
type Rule struct {
	By     string        // "forecast", "utilisation" or "peak": by the forecast of requests and the promise, by how busy they are, as many as ever
	Sigmas float64       // standard errors of a counted rate that the forecast is above what is expected
	Trend  time.Duration // whose rates a line is drawn through, to forecast by
	Lead   time.Duration // until a start is decided and carried out, beyond the time that a replica takes to be ready
	Retire time.Duration // for which a replica is not needed before it is stopped
	Busy   float64       // percent of their time in which replicas shall compute, where they are scaled by that
	Warm   int           // replicas that run beyond those needed
}

// Demand is how many replicas a service is to have.
type Demand struct {
	Start int    // so many at least: where fewer run, others start
	Keep  int    // so many at most: where more run, one stops
	Why   string // it is so many, for owners of replicas
}

// Service is one that is scaled, with its replicas.
type Service struct {
	*policy.InferenceService
	Running, Waiting []*policy.Job // that answer requests, and that could start now
}

// CountAll returns how many replicas there are that run or could start; an array's waiting tasks are one job and count each.
func (v *Service) CountAll() int {
	n := len(v.Running)
	for _, j := range v.Waiting {
		n += j.TaskCount()
	}
	return n
}

// most returns how many replicas it may have.
func (v *Service) most() int { return cmp.Or(v.Scaling.Most, v.CountAll()) }

// limit brings a number within what its owner set.
func (v *Service) limit(n int) int { return max(min(n, v.most()), v.Scaling.Least) }

// measureWork returns for how many replicas there is work at a rate, all computing all the time.
func (v *Service) measureWork(perSecond float64) float64 {
	return perSecond * v.Scaling.ServiceTime.Seconds()
}

// Count says how many replicas a service needs, whose Scaling is known.
func (r Rule) Count(v *Service, now time.Time) Demand {
	c := v.Scaling
	hasRates := len(c.Rates) > 0 && c.RateWindow > 0 && c.ServiceTime > 0
	hasPromise := c.ResponseWithin > 0 && c.ResponsePart > 0
	var d Demand
	switch {
	case c.UnknownReason != "":
		d = Demand{math.MaxInt, math.MaxInt, "all are wanted, as long as its requests are not known: " + c.UnknownReason}
	case r.By == "forecast" && hasRates && hasPromise:
		d = r.countByForecast(v, now)
	case r.By != "peak" && hasRates:
		d = r.countByRate(v)
	case r.By != "peak":
		d = r.countByMeasuredUse(v)
	default:
		d = Demand{math.MaxInt, math.MaxInt, "all its replicas run"}
	}
	if d.Start < math.MaxInt {
		spare := r.Warm + c.Spare
		d.Start, d.Keep = d.Start+spare, d.Keep+spare
	}
	d.Start, d.Keep = v.limit(d.Start), v.limit(max(d.Start, d.Keep))
	return d
}

// countByForecast counts the replicas that keep the promise at the rate forecast for when one that starts now is
// ready. As many are kept as were needed at any time for which a replica must be idle to be stopped.
func (r Rule) countByForecast(v *Service, now time.Time) Demand {
	c := v.Scaling
	rate := r.forecastRate(c, now, len(c.Rates))
	d := Demand{Start: r.countForRate(v, rate)}
	d.Why = fmt.Sprintf("%.3g requests a second are forecast, of which %.4g %% are to be answered within %s", rate, 100*c.ResponsePart, c.ResponseWithin)
	for known, then := len(c.Rates), now; known > 0 && now.Sub(then) < r.Retire; known, then = known-1, then.Add(-c.RateWindow) {
		d.Keep = max(d.Keep, r.countForRate(v, r.forecastRate(c, then, known)))
	}
	d.Keep = max(d.Keep, d.Start)
	return d
}

// forecastRate is the rate that was forecast at a time, from so many of the rates.
func (r Rule) forecastRate(c *policy.ReplicaScaling, then time.Time, known int) float64 {
	ahead := r.Lead + c.SetupTime
	rates := lastRates(c.Rates[:known], c.RateWindow, r.Trend)
	history := servers.History{WindowSeconds: c.RateWindow.Seconds(), Rates: rates, Usual: c.GreatestUsualRate(then, then.Add(ahead)), Sigmas: r.Sigmas}
	return history.ForecastRate(ahead.Seconds())
}

// lastRates are the last rates that together span a time, one at least.
func lastRates(rates []float64, window, span time.Duration) []float64 {
	n := max(int(math.Ceil(span.Seconds()/window.Seconds())), 1)
	return rates[max(len(rates)-n, 0):]
}

// countForRate counts the replicas that keep the promise at a rate. Where no number does, because requests take too
// long on a replica alone, it is as many as are busy for the part of their time that is allowed.
func (r Rule) countForRate(v *Service, rate float64) int {
	c := v.Scaling
	requests := servers.Requests{PerSecond: rate, ServiceSeconds: c.ServiceTime.Seconds(), WithinSeconds: c.ResponseWithin.Seconds()}
	if n, ok := requests.LeastServers(c.ResponsePart, max(v.most(), 1)); ok {
		return n
	}
	if alone := math.Exp(-requests.WithinSeconds / requests.ServiceSeconds); alone >= 1-c.ResponsePart {
		return r.countForWork(v.measureWork(rate))
	}
	return v.most()
}

// countForWork counts replicas that compute for the part of their time that is allowed.
func (r Rule) countForWork(work float64) int { return int(math.Ceil(100*work/r.Busy - 1e-9)) }

// countByRate counts replicas by the last rate alone.
func (r Rule) countByRate(v *Service) Demand {
	c := v.Scaling
	n := r.countForWork(v.measureWork(c.Rates[len(c.Rates)-1]))
	lately := r.countForWork(v.measureWork(slices.Max(lastRates(c.Rates, c.RateWindow, r.Retire))))
	return Demand{n, max(n, lately), fmt.Sprintf("%.3g requests a second keep them busy for %.3g %% of their time", c.Rates[len(c.Rates)-1], r.Busy)}
}

// countByMeasuredUse counts replicas by how much of their time their GPUs were seen to compute. Where that is not
// known of one of them, as many are wanted as there may be.
func (r Rule) countByMeasuredUse(v *Service) Demand {
	work := 0.0
	for _, j := range v.Running {
		if !j.Utilisation.Known {
			return Demand{math.MaxInt, math.MaxInt, "nothing is known of its requests, nor how busy all its replicas are"}
		}
		work += j.Utilisation.Value
	}
	n := max(r.countForWork(work), 1) // without one there would be no measurement
	return Demand{n, n, fmt.Sprintf("its replicas compute as much as %.3g would all the time, and shall for %.3g %% of their time", work, r.Busy)}
}
