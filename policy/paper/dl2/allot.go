package dl2

import (
	"math"

	"fairbridge/policy/engine"
	"fairbridge/policy/sizing"
)

// Choice is one step of an allotment: a candidate gets one device more, or none does. The last
// candidate is the one that ends the allotment.
type Choice struct {
	Features [][]float64 // of each candidate
	Open     []bool      // candidates that may be chosen; never opened again within a round
	Devices  []int       // each has; 0 for the last
	Left     []float64   // seconds that each has left on what it asks, the mean where that is not known; 0 for the last
	Gains    []float64   // speed that one device more gives each, relative to what it asks; 0 for the last
}

// A Chooser picks the candidate of a step. Among those that are open there is always the last.
type Chooser interface {
	Choose(c *Choice) int
}

// allotment divides what is free among jobs of a draft, device by device.
type allotment struct {
	draft   *sizing.Draft
	jobs    []*engine.Entry
	cluster clusterFacts
	choice  Choice
}

func newAllotment(r *engine.Round, d *sizing.Draft, jobs []*engine.Entry) *allotment {
	a := &allotment{draft: d, jobs: jobs, cluster: newClusterFacts(r, jobs)}
	n := len(jobs) + 1
	a.choice = Choice{make([][]float64, n), make([]bool, n), make([]int, n), make([]float64, n), make([]float64, n)}
	for i := range jobs {
		a.choice.Open[i] = true
		a.refresh(i)
	}
	a.choice.Features[n-1], a.choice.Open[n-1] = endFeatures(), true
	return a
}

// refresh brings what is known of a candidate up to date.
func (a *allotment) refresh(i int) {
	e := a.jobs[i]
	n := a.draft.Size(e)
	a.choice.Devices[i] = n
	a.choice.Left[i] = a.cluster.timeLeft(e)
	a.choice.Gains[i] = sizing.Speed(e, n+1) - sizing.Speed(e, n)
	a.choice.Features[i] = a.cluster.features(e, n)
	a.choice.Open[i] = a.choice.Open[i] && n < sizing.Most(e)
}

// run asks the chooser until it ends the allotment or no job can get more. It reports whether
// the chooser kept to the candidates.
func (a *allotment) run(c Chooser) bool {
	last := len(a.jobs)
	for {
		if !anyOpen(a.choice.Open[:last]) {
			return true
		}
		i := c.Choose(&a.choice)
		switch {
		case i == last:
			return true
		case i < 0 || i > last || !a.choice.Open[i]:
			return false
		case a.draft.TrySize(a.jobs[i], a.draft.Size(a.jobs[i])+1, nil):
			a.refresh(i)
		default:
			a.choice.Open[i] = false
		}
	}
}

func anyOpen(open []bool) bool {
	for _, o := range open {
		if o {
			return true
		}
	}
	return false
}

// featureNames name what the network sees of a candidate, in their order. Weights that were
// trained on other features are not used.
var featureNames = []string{"end", "left", "left_unknown", "left_to_mean", "devices_of_most", "devices_to_equal", "gain", "saves", "held", "age", "crowd"}

// endFeatures are those of the candidate that ends the allotment.
func endFeatures() []float64 {
	f := make([]float64, len(featureNames))
	f[0] = 1
	return f
}

// clusterFacts are what all candidates of a round are measured against.
type clusterFacts struct {
	round    *engine.Round
	meanLeft float64 // seconds, on what jobs ask
	equal    float64 // devices for each job
}

func newClusterFacts(r *engine.Round, jobs []*engine.Entry) clusterFacts {
	f, known := clusterFacts{round: r}, 0.0
	for _, e := range jobs {
		if left := e.Estimate().TimeLeft.Seconds(); left > 0 {
			f.meanLeft, known = f.meanLeft+left, known+1
		}
	}
	f.meanLeft /= max(known, 1)
	f.equal = max(r.WholeGPUs(), 1) / max(float64(len(jobs)), 1)
	return f
}

// day is a long time in seconds, by whose logarithm times are made small.
const day = 86_400

func logTime(seconds float64) float64 { return math.Log1p(max(seconds, 0)) / math.Log1p(day) }

// timeLeft is what a job has left on what it asks, in seconds; the mean of all where that is not known.
func (f *clusterFacts) timeLeft(e *engine.Entry) float64 {
	if left := e.Estimate().TimeLeft.Seconds(); left > 0 {
		return left
	}
	return f.meanLeft
}

// features are what the network sees of a job that has so many devices, each about 0 to 1.
func (f *clusterFacts) features(e *engine.Entry, devices int) []float64 {
	left := f.timeLeft(e)
	unknown, toMean := 0.0, 0.0
	if e.Estimate().TimeLeft <= 0 {
		unknown = 1
	} else {
		toMean = math.Log(left/f.meanLeft) / 4
	}
	now, next := sizing.Speed(e, devices), sizing.Speed(e, devices+1)
	saves := 1.0
	if now > 0 && next > 0 {
		saves = logTime(left/now - left/next)
	}
	held := 0.0
	if devices < e.On.Count() {
		held = 1
	}
	return []float64{0, logTime(left), unknown, math.Tanh(toMean), float64(devices) / float64(sizing.Most(e)), math.Tanh(float64(devices) / f.equal / 2),
		math.Tanh(next - now), saves, held, logTime(f.round.Now.Sub(e.Arrive).Seconds()), 1 / (1 + f.equal)}
}
