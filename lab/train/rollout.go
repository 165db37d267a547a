package train

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/paper/dl2"
)

const (
	decisionEvery = time.Minute // as Pollux' simulator
	restartCost   = 30 * time.Second
)

// step is a choice that was recorded.
type step struct {
	features [][]float64
	open     []bool
	chosen   int
	decision int // in which it was taken
}

// recorder chooses by another chooser and records a part of the choices.
type recorder struct {
	dl2.Chooser
	random   *rand.Rand
	part     float64 // of choices recorded
	steps    []step
	decision int
}

// Choose implements dl2.Chooser.
func (r *recorder) Choose(c *dl2.Choice) int {
	i := r.Chooser.Choose(c)
	if r.random.Float64() < r.part {
		r.steps = append(r.steps, step{append([][]float64(nil), c.Features...), append([]bool(nil), c.Open...), i, r.decision})
	}
	return i
}

// sampler chooses by chance, as the scores of a network have it.
type sampler struct {
	scores *dl2.Scores
	random *rand.Rand
}

// Choose implements dl2.Chooser.
func (s *sampler) Choose(c *dl2.Choice) int {
	u, last := s.random.Float64(), len(c.Open)-1
	for i, p := range softmax(s.scores.ScoreAll(c), c.Open) {
		if u -= p; u < 0 {
			return i
		}
	}
	return last
}

// moment is what was so when the policy was asked.
type moment struct {
	seconds float64
	jobs    float64 // present
	facts   []float64
}

// rollout is a simulation that was recorded.
type rollout struct {
	steps   []step
	moments []moment
	avgJCT  float64 // in seconds
}

// roll simulates a workload with a chooser, of whose choices a part is recorded.
func roll(c exact.Config, chooser dl2.Chooser, random *rand.Rand, part float64) (*rollout, error) {
	rec := &recorder{Chooser: chooser, random: random, part: part}
	p, err := dl2.NewTrainee(rec)
	if err != nil {
		return nil, err
	}
	o := &rollout{}
	c.Policy = p
	c.WatchDecision = func(s *policy.Snapshot, _ *policy.Plan) {
		o.moments = append(o.moments, newMoment(s))
		rec.decision++
	}
	run, err := exact.Run(c)
	if err != nil {
		return nil, fmt.Errorf("simulating a workload to learn from: %w", err)
	}
	o.steps, o.avgJCT = rec.steps, run.Summarize().AvgJCT
	o.moments = append(o.moments, moment{seconds: run.MakespanSeconds})
	return o, nil
}

// criticInputs is how many facts the critic judges a moment by.
const criticInputs = 4

func newMoment(s *policy.Snapshot) moment {
	gpus, left, work, waiting := s.WholeGPUs(), 0.0, 0.0, 0.0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		t := j.PredictedLeft
		if j.Training != nil {
			t, _ = j.Training.TimeLeft(cmp.Or(j.Ask.GPUs.Type, "v100"))
		}
		left += t.Seconds()
		work += t.Seconds() * float64(j.Ask.GPUs.Count)
		if !j.HoldsGPUs() {
			waiting++
		}
	}
	n := float64(len(s.Jobs))
	return moment{s.ClockSeconds, n, []float64{n / gpus, math.Log1p(left/max(n, 1)) / 10, work / gpus / 3600, waiting / gpus}}
}

// sightSeconds is how far ahead a choice is judged: what comes later counts less by a factor of
// e for each such time.
const sightSeconds = 1200

// returns are what each decision led to: the jobs that were present after it, by hours, the
// fewer the better. Their sum over time is that of completion times.
func (o *rollout) returns() []float64 {
	g := make([]float64, len(o.moments))
	for i := len(g) - 2; i >= 0; i-- {
		passes := o.moments[i+1].seconds - o.moments[i].seconds
		g[i] = -o.moments[i].jobs*passes/3600 + math.Exp(-passes/sightSeconds)*g[i+1]
	}
	return g
}

// momentAt returns the first moment at or after a time; the end where there is none.
func (o *rollout) momentAt(seconds float64) int {
	i := sort.Search(len(o.moments), func(i int) bool { return o.moments[i].seconds >= seconds })
	return min(i, len(o.moments)-1)
}

// softmax returns the chances of open candidates by their scores.
func softmax(scores []float64, open []bool) []float64 {
	most, sum := math.Inf(-1), 0.0
	for i, s := range scores {
		if open[i] {
			most = max(most, s)
		}
	}
	p := make([]float64, len(scores))
	for i, s := range scores {
		if open[i] {
			p[i] = math.Exp(s - most)
			sum += p[i]
		}
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
