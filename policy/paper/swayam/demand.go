package swayam

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/solve/servers"
)

// demand is how many replicas a service is to have.
type demand struct {
	start int    // so many at least: where fewer run, others start
	keep  int    // so many at most: where more run, one stops
	why   string // it is so many, for owners of replicas
}

// service is one that is scaled, with its replicas.
type service struct {
	*policy.InferenceService
	running, waiting []*policy.Job // that answer requests, and that could start now
	mayStop          bool          // none of its replicas was stopped within the time between two
}

// most returns how many replicas it may have.
func (v *service) most() int { return cmp.Or(v.Scaling.Most, len(v.running)+countTasks(v.waiting)) }

// countTasks counts what waits; the waiting tasks of an array are one job.
func countTasks(jobs []*policy.Job) (n int) {
	for _, j := range jobs {
		n += j.TaskCount()
	}
	return n
}

// limit brings a number within what its owner set.
func (v *service) limit(n int) int { return max(min(n, v.most()), v.Scaling.Least) }

// measureWork returns for how many replicas there is work at a rate, all computing all the time.
func (v *service) measureWork(perSecond float64) float64 {
	return perSecond * v.Scaling.ServiceTime.Seconds()
}

// countNeeded says how many replicas a service needs.
func (p *Policy) countNeeded(v *service, now time.Time) demand {
	c := v.Scaling
	hasRates := len(c.Rates) > 0 && c.RateWindow > 0 && c.ServiceTime > 0
	hasPromise := c.ResponseWithin > 0 && c.ResponsePart > 0
	var d demand
	switch {
	case c.UnknownReason != "":
		d = demand{math.MaxInt, math.MaxInt, "all are wanted, as long as its requests are not known: " + c.UnknownReason}
	case p.Scale == "forecast" && hasRates && hasPromise:
		d = p.countByForecast(v, now)
	case p.Scale != "peak" && hasRates:
		d = p.countByRate(v)
	case p.Scale != "peak":
		d = p.countByMeasuredUse(v)
	default:
		d = demand{math.MaxInt, math.MaxInt, "all its replicas run"}
	}
	if d.start < math.MaxInt {
		spare := p.Warm + c.Spare
		d.start, d.keep = d.start+spare, d.keep+spare
	}
	d.start, d.keep = v.limit(d.start), v.limit(max(d.start, d.keep))
	return d
}

// countByForecast counts the replicas that keep the promise at the rate forecast for when one that starts now is
// ready. As many are kept as were needed at any time for which a replica must be idle to be stopped.
func (p *Policy) countByForecast(v *service, now time.Time) demand {
	c := v.Scaling
	rate := p.forecastRate(c, now, len(c.Rates))
	d := demand{start: p.countForRate(v, rate)}
	d.why = fmt.Sprintf("%.3g requests a second are forecast, of which %.4g %% are to be answered within %s", rate, 100*c.ResponsePart, c.ResponseWithin)
	for known, then := len(c.Rates), now; known > 0 && now.Sub(then) < p.Retire; known, then = known-1, then.Add(-c.RateWindow) {
		d.keep = max(d.keep, p.countForRate(v, p.forecastRate(c, then, known)))
	}
	d.keep = max(d.keep, d.start)
	return d
}

// forecastRate is the rate that was forecast at a time, from so many of the rates.
func (p *Policy) forecastRate(c *policy.ReplicaScaling, then time.Time, known int) float64 {
	ahead := p.Lead + c.SetupTime
	rates := lastRates(c.Rates[:known], c.RateWindow, p.Trend)
	history := servers.History{WindowSeconds: c.RateWindow.Seconds(), Rates: rates, Usual: c.GreatestUsualRate(then, then.Add(ahead)), Sigmas: p.Sigmas}
	return history.ForecastRate(ahead.Seconds())
}

// lastRates are the last rates that together span a time, one at least.
func lastRates(rates []float64, window, span time.Duration) []float64 {
	n := max(int(math.Ceil(span.Seconds()/window.Seconds())), 1)
	return rates[max(len(rates)-n, 0):]
}

// countForRate counts the replicas that keep the promise at a rate. Where no number does, because requests take too
// long on a replica alone, it is as many as are busy for the part of their time that is allowed.
func (p *Policy) countForRate(v *service, rate float64) int {
	c := v.Scaling
	requests := servers.Requests{PerSecond: rate, ServiceSeconds: c.ServiceTime.Seconds(), WithinSeconds: c.ResponseWithin.Seconds()}
	if n, ok := requests.LeastServers(c.ResponsePart, max(v.most(), 1)); ok {
		return n
	}
	if alone := math.Exp(-requests.WithinSeconds / requests.ServiceSeconds); alone >= 1-c.ResponsePart {
		return p.countForWork(v.measureWork(rate))
	}
	return v.most()
}

// countForWork counts replicas that compute for the part of their time that is allowed.
func (p *Policy) countForWork(work float64) int { return int(math.Ceil(100*work/p.Busy - 1e-9)) }

// countByRate counts replicas by the last rate alone.
func (p *Policy) countByRate(v *service) demand {
	c := v.Scaling
	n := p.countForWork(v.measureWork(c.Rates[len(c.Rates)-1]))
	lately := p.countForWork(v.measureWork(slices.Max(lastRates(c.Rates, c.RateWindow, p.Retire))))
	return demand{n, max(n, lately), fmt.Sprintf("%.3g requests a second keep them busy for %.3g %% of their time", c.Rates[len(c.Rates)-1], p.Busy)}
}

// countByMeasuredUse counts replicas by how much of their time their GPUs were seen to compute. Where that is not
// known of one of them, as many are wanted as there may be.
func (p *Policy) countByMeasuredUse(v *service) demand {
	work := 0.0
	for _, j := range v.running {
		if !j.Utilisation.Known {
			return demand{math.MaxInt, math.MaxInt, "nothing is known of its requests, nor how busy all its replicas are"}
		}
		work += j.Utilisation.Value
	}
	n := max(p.countForWork(work), 1) // without one there would be no measurement
	return demand{n, n, fmt.Sprintf("its replicas compute as much as %.3g would all the time, and shall for %.3g %% of their time", work, p.Busy)}
}
