// Package slaq gives GPUs to the jobs whose training loss falls most by them in the coming
// round, relative to how far it fell already. Only jobs that report their losses and declare
// a range take part; all others get what they ask.
//
// H. Zhang, L. Stafman, A. Or, M. J. Freedman, "SLAQ: Quality-Driven Scheduling for
// Distributed Machine Learning", SoCC 2017.
package slaq

import (
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/sizing"
	"fairbridge/policy/solve/losscurve"
)

// Policy is SLAQ with its parameters.
type Policy struct {
	Round time.Duration `param:"round" default:"30m" min:"1" help:"the coming time within which losses are to fall"`
	Step  float64       `param:"step" default:"1.5" min:"1" help:"factor by which the size of a running job must change to be worth its restart, unless it gives way to a job that starts; 1: any"`
	paper.Limits
}

// Decide implements policy.Policy.
func (f *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return engine.Pipeline{
		Name:     "slaq",
		Allocate: quality{f},
		Preempt:  sizing.StopsNone{},
		Backfill: backfill.Greedy{},
		Rules:    f.Rules(),
	}.Decide(s)
}

// System describes SLAQ in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "slaq", Title: "Quality-driven scheduling", Venue: "SoCC", Year: 2017,
		Cite:         `H. Zhang, L. Stafman, A. Or, M. J. Freedman, "SLAQ: Quality-Driven Scheduling for Distributed Machine Learning", SoCC 2017`,
		Idea:         "Give each GPU to the job whose loss it lowers most in the coming round, relative to how far that fell so far.",
		OwnStages:    []string{"order", "size", "backfill"},
		NeededInputs: []string{"losses that jobs report", "least and most GPUs of elastic jobs", "how fast a job goes, and how fast on other sizes"},
		Fallback:     "a job that reports no losses, or declares no range, gets what it asks in order of arrival; one of too few losses to foretell the next keeps what it asks",
		Reproduced:   "the worked example of two jobs and six units; on drawn workloads of 160 jobs for 64 GPUs, without restart costs: the mean loss of equal parts is 2.50 times as high (1.86 to 2.96 over five seeds; the paper has 1.73 in quality), jobs lose nine tenths in 0.56 of the time (0.48 to 0.80) and 99 of 100 in 1.09 of it (1.04 to 1.22)",
		Deviations: []string{
			"Rounds are of minutes, not of seconds: a job changes its size by a requeue, so a size must change by a factor, and the restart counts as time without progress.",
			"Losses fall with the speed on a number of GPUs, not in proportion to it.",
			"No job runs on less than the least it declares, and what no job gains from is left with those that have it.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"step": 1., "min_run": "1s", "max_stops": -1, "round": "10m"},
	})
}

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
