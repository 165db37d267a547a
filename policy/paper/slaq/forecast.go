package slaq

import (
	"math"

	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/losscurve"
)

// forecast is how the loss of a job will fall.
type forecast struct {
	isNew      bool // it has reported too little to foretell anything
	curve      losscurve.Curve
	fallen     float64 // how far it fell so far; more than 0
	steps      float64 // done
	stepsLeft  float64 // infinite where that is not known
	stepsAsked float64 // a second, on what the job asks
}

// newForecast fits a curve to the losses a job reported; nil: it reports none, or none that
// falls.
func newForecast(e *engine.Entry) *forecast {
	t := e.Training
	if t == nil || len(t.Losses) == 0 {
		return nil
	}
	if len(t.Losses) < losscurve.LeastPoints {
		return &forecast{isNew: true}
	}
	points := make([]losscurve.Point, len(t.Losses))
	least := math.Inf(1)
	for i, l := range t.Losses {
		points[i] = losscurve.Point{Step: l.Step, Loss: l.Loss}
		least = min(least, l.Loss)
	}
	curve, ok := losscurve.Fit(points)
	f := &forecast{curve: curve, fallen: points[0].Loss - least, steps: max(t.StepsDone, points[len(points)-1].Step), stepsLeft: math.Inf(1), stepsAsked: stepsPerSecond(e)}
	if t.Steps > 0 {
		f.stepsLeft = max(t.Steps-f.steps, 0)
	}
	if !ok || f.fallen <= 0 || f.stepsAsked <= 0 {
		return nil
	}
	return f
}

// stepsPerSecond is the speed a job reports of itself on what it asks, else what it had on the
// mean; 0: not known.
func stepsPerSecond(e *engine.Entry) float64 {
	if rate, ok := e.Training.Rate(sizing.TypeOf(e)); ok && rate > 0 {
		return rate
	}
	if ran := e.TotalRunTime().Seconds(); ran > 0 {
		return e.Training.StepsDone / ran
	}
	return 0
}

// newJobFall is the fall of the loss of a job that is new, for all it asks: as much as counts
// before any that is foretold.
const newJobFall = 1000

// fall returns how much the loss falls in so many seconds on so many devices, relative to how
// far it fell so far.
func (f *forecast) fall(e *engine.Entry, devices int, seconds float64) float64 {
	if f.isNew {
		asked := e.Ask.GPUs.Count
		return newJobFall * math.Sqrt(float64(min(devices, asked))/float64(asked))
	}
	ahead := min(f.stepsAsked*sizing.Speed(e, devices)*seconds, f.stepsLeft)
	return max(f.curve.At(f.steps)-f.curve.At(f.steps+ahead), 0) / f.fallen
}
