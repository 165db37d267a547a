package deadlines

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/reproduce/reproducetest"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

var system = reproducetest.NewSystem

// newNodes makes n nodes with so many GPUs each.
func newNodes(n, each int) []policy.Node { return reproducetest.NewCluster(n, each, "v100") }

// deadlineRatios are the quantiles of the time a job has until its deadline, over its run time, as the Chronus artifact draws
// them.
var deadlineRatios = [][2]float64{{0, 1.1}, {.01, 1.16}, {.1, 1.4}, {.25, 1.64}, {.5, 1.97}, {.75, 2.45}, {.9, 3.1}, {.99, 4.2}, {1, 5}}

// addDeadlines gives a share of the jobs a deadline.
func addDeadlines(jobs []workload.Job, share float64, seed int64) {
	r := rand.New(rand.NewPCG(uint64(seed), 29))
	for i := range jobs {
		part, k := r.Float64(), 1
		for deadlineRatios[k][0] < part {
			k++
		}
		low, high := deadlineRatios[k-1], deadlineRatios[k]
		ratio := low[1] + (high[1]-low[1])*(part-low[0])/(high[0]-low[0])
		if r.Float64() < share {
			jobs[i].Deadline = jobs[i].Arrive + math.Ceil(ratio*jobs[i].Duration)
		}
	}
}

// guesses predict run times that are off by a normal error, relative to the truth.
type guesses struct {
	sigma     float64
	durations map[policy.JobID]float64
}

func newGuesses(jobs []workload.Job, sigma float64) *guesses {
	g := &guesses{sigma, map[policy.JobID]float64{}}
	for i := range jobs {
		off := rand.New(rand.NewPCG(3, uint64(jobs[i].ID))).NormFloat64()
		g.durations[policy.JobID(jobs[i].ID)] = jobs[i].Duration * max(1+sigma*off, .1)
	}
	return g
}

func (*guesses) AddEndedRun(learn.Run)                  {}
func (*guesses) PredictionTrust() float64               { return 1 }
func (g *guesses) ForecastAt(time.Time) policy.Forecast { return g }
func (g *guesses) PredictTimeLeft(j *policy.Job) (left, sigma time.Duration) {
	ran, whole := j.TotalRunTime().Seconds(), g.durations[j.ID]
	return policy.DurationFromSeconds(max(whole-ran, .05*ran, 1)), policy.DurationFromSeconds(g.sigma * whole)
}

// outcome is what became of the jobs of a run.
type outcome struct {
	missed     float64 // part of the deadlines
	bestP95    float64 // 95th percentile of the completion times of jobs without a deadline, in seconds
	bestMean   float64
	stopsByJob float64
}

func sumUp(run *measure.Run, jobs []workload.Job) outcome {
	deadlines := map[int64]float64{}
	for _, j := range jobs {
		deadlines[j.ID] = j.Deadline
	}
	var o outcome
	var best []float64
	due := 0
	for _, j := range run.JobOutcomes {
		o.stopsByJob += float64(j.StopCount) / float64(len(run.JobOutcomes))
		if d := deadlines[j.ID]; d == 0 {
			best = append(best, j.Finish-j.Arrive)
		} else if due++; j.Finish > d {
			o.missed++
		}
	}
	o.missed /= float64(max(due, 1))
	if len(best) == 0 {
		best = []float64{0}
	}
	slices.Sort(best)
	o.bestP95 = best[min(int(.95*float64(len(best))), len(best)-1)]
	for _, b := range best {
		o.bestMean += b / float64(len(best))
	}
	return o
}

// simulate carries plans out at once and exactly; a restart costs half a minute.
func simulate(t testing.TB, p policy.Policy, nodes []policy.Node, jobs []workload.Job, sigma float64) outcome {
	t.Helper()
	c := exact.Config{Policy: p, Nodes: nodes, Jobs: jobs, Clock: exact.NewEventClock(time.Minute, time.Minute, 30*time.Second), OmitsReasons: true, PredictsTruth: sigma == 0}
	if sigma > 0 {
		c.RunTimes = newGuesses(jobs, sigma)
	}
	run, err := exact.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return sumUp(run, jobs)
}

// spread returns the middle value, the higher of two, the least and the most.
func spread(values []float64) (median, least, most float64) {
	s := slices.Sorted(slices.Values(values))
	return s[len(s)/2], s[0], s[len(s)-1]
}

// report logs figures with their spread.
func report(t *testing.T, figures map[string][]float64) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		m, least, most := spread(figures[name])
		t.Logf("%s: %.3f (%.3f to %.3f)", name, m, least, most)
	}
}
