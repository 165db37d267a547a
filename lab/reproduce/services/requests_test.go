package services

import (
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/lab/generate"
)

// Requests are those of one service over a day, drawn: so many a second as the hour has, on busy and quiet days, and
// bursts on top, which come within minutes and are in no forecast.
type Requests struct {
	PeakPerSecond float64 // in the busiest hour of a usual day, without bursts
	ShiftHours    float64 // by which its day begins later than the cluster's
	BurstsPerDay  float64 // in the mean
}

// StepSeconds is the length of time for which a drawn rate holds.
const StepSeconds = 10

const (
	daySteps    = 24 * 3600 / StepSeconds
	daysBefore  = 7   // that the usual rates are the medians of
	dayDeviates = .08 // standard error of how busy a day is
	hourSteps   = 3600 / StepSeconds
)

// Day is a day of requests.
type Day struct {
	RatePerSecond []float64 // by step
	Counts        []int     // by step, as chance had them
	Usual         []float64 // by hour, the median of the days before; in requests a second
}

// Draw draws a day and those before it.
func (q Requests) Draw(seed, stream uint64) Day {
	r := rand.New(rand.NewPCG(seed, stream))
	var before [daysBefore][]float64
	for d := range before {
		before[d] = q.drawRates(r)
	}
	day := Day{RatePerSecond: q.drawRates(r), Usual: make([]float64, 24)}
	for h := range day.Usual {
		var means []float64
		for _, rates := range before {
			means = append(means, sum(rates[h*hourSteps:(h+1)*hourSteps])/hourSteps)
		}
		day.Usual[h] = slices.Sorted(slices.Values(means))[daysBefore/2]
	}
	for _, rate := range day.RatePerSecond {
		day.Counts = append(day.Counts, drawPoisson(r, rate*StepSeconds))
	}
	return day
}

// drawRates draws the rates of a day.
func (q Requests) drawRates(r *rand.Rand) []float64 {
	rates, busy := make([]float64, daySteps), math.Exp(dayDeviates*r.NormFloat64())
	for i := range rates {
		rates[i] = q.PeakPerSecond * busy * generate.RelativeRateAt(float64(i*StepSeconds)-3600*q.ShiftHours)
	}
	for at := r.ExpFloat64() / q.BurstsPerDay; at < 1; at += r.ExpFloat64() / q.BurstsPerDay {
		drawBurst(r, rates, int(at*daySteps))
	}
	return rates
}

// drawBurst multiplies the rates from a step on: up within two to five minutes, by .2 to .8, for five to twenty minutes,
// and down as fast.
func drawBurst(r *rand.Rand, rates []float64, from int) {
	height, ramp, length := .2+.6*r.Float64(), (120+180*r.Float64())/StepSeconds, (300+900*r.Float64())/StepSeconds
	for i := from; i < len(rates) && float64(i-from) < length+2*ramp; i++ {
		age := float64(i - from)
		rates[i] *= 1 + height*min(age/ramp, 1, (length+2*ramp-age)/ramp)
	}
}

// drawPoisson draws a count with a mean, of any size: as many as exponential times fit.
func drawPoisson(r *rand.Rand, mean float64) (n int) {
	for at := r.ExpFloat64(); at < mean; at += r.ExpFloat64() {
		n++
	}
	return n
}

// MeanRates returns the requests a second that were counted in each of the last windows of so many steps before a step, at
// most so many windows.
func (d *Day) MeanRates(before, steps, most int) []float64 {
	var rates []float64
	for from := before - min(most, before/steps)*steps; from < before; from += steps {
		n := 0
		for _, count := range d.Counts[from : from+steps] {
			n += count
		}
		rates = append(rates, float64(n)/float64(steps*StepSeconds))
	}
	return rates
}

func sum(all []float64) (total float64) {
	for _, x := range all {
		total += x
	}
	return total
}
