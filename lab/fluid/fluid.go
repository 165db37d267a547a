// Package fluid runs policies on a cluster whose GPUs can be divided like a fluid: any job may
// hold any fraction of a GPU, sizes change at once and for nothing, as the simulator of PCS has
// it (Faisal et al., OSDI 2024). Its clock counts microseconds. Of every job it says, when it
// arrives, when it will end, by running the same policy ahead without those that come later.
package fluid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/paper/afs"
	"fairbridge/policy/paper/fifo"
	"fairbridge/policy/paper/pcs"
	"fairbridge/policy/paper/srtf"
	"fairbridge/policy/paper/themis"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// Config is one simulation.
type Config struct {
	GPUs int // of the cluster; they are all alike, wherever they are
	Jobs []workload.Job
	Rule Rule
	Seed int64
	// ReportProgress is told from time to time how many jobs are done; nil: none is told.
	ReportProgress func(done, of int)
}

// Run simulates until all jobs are done. Each outcome has its PredictedFinish.
func Run(c Config) (*measure.Run, error) {
	started := time.Now()
	w, err := newWorld(&c)
	if err != nil {
		return nil, err
	}
	for done := 0; w.step(); {
		if len(w.ended) != done && c.ReportProgress != nil {
			done = len(w.ended)
			c.ReportProgress(done, len(c.Jobs))
		}
	}
	if len(w.ended) < len(c.Jobs) {
		return nil, fmt.Errorf("%d of %d jobs get no GPU and never end", len(c.Jobs)-len(w.ended), len(c.Jobs))
	}
	run := w.measure(&c)
	run.WallSeconds = time.Since(started).Seconds()
	return run, nil
}

// micro is a moment in microseconds since the workload's start.
type micro int64

// noTime is later than every moment.
const noTime micro = math.MaxInt64

// microFromSeconds rounds seconds to microseconds, halves to the even one.
func microFromSeconds(s float64) micro {
	whole, part := math.Modf(s)
	return micro(whole)*1e6 + micro(math.RoundToEven(part*1e6))
}

func (m micro) seconds() float64 { return float64(m) / 1e6 }

// world is a cluster and its jobs at a moment.
type world struct {
	rule       Rule
	gpus       float64
	now        micro
	future     []*job // still to arrive, by arrival
	active     []*job // arrived and not ended, as the rule has them in line
	redivideAt micro  // noTime: not
	ended      []*job
	isForecast bool // it only looks ahead
}

func newWorld(c *Config) (*world, error) {
	if c.Rule == nil || c.GPUs <= 0 {
		return nil, fmt.Errorf("a cluster of %d GPUs cannot be divided: give it GPUs, and a policy that can", c.GPUs)
	}
	w := &world{rule: c.Rule, gpus: float64(c.GPUs), redivideAt: noTime}
	for i := range c.Jobs {
		j, err := newJob(&c.Jobs[i])
		if err != nil {
			return nil, err
		}
		w.future = append(w.future, j)
	}
	slices.SortStableFunc(w.future, func(a, b *job) int { return int(min(max(a.arrive-b.arrive, -1), 1)) })
	return w, nil
}

// step goes on to what happens next. It reports whether anything did.
func (w *world) step() bool {
	end, ending := w.earliestEnd()
	arrival := noTime
	if len(w.future) > 0 {
		arrival = w.future[0].arrive
	}
	next := min(end, w.redivideAt, arrival)
	if next == noTime {
		return false
	}
	w.advance(next)
	var arrived *job
	switch next {
	case end:
		w.end(ending)
	case w.redivideAt:
	default:
		arrived, w.future = w.future[0], w.future[1:]
		w.active = append(w.active, arrived)
		arrived.class = w.rule.classOf(arrived.service)
		arrived.addContention(len(w.active))
	}
	w.divide()
	if arrived != nil && !w.isForecast {
		arrived.predictedEnd = w.predictEnd(arrived)
	}
	return true
}

// advance lets time pass until a moment at which something happens.
func (w *world) advance(to micro) {
	dt := (to - w.now).seconds()
	for _, j := range w.active {
		j.remaining -= j.speed(j.share) * dt
		j.heldService += j.share * dt
		if j.share > 0 {
			j.heldSeconds += dt
		}
		j.addContention(len(w.active))
	}
	w.now = to
}

// earliestEnd returns when the next job ends, and which: the first in line of those that do.
func (w *world) earliestEnd() (micro, *job) {
	end, ending := noTime, (*job)(nil)
	for _, j := range w.active {
		if at := j.endFrom(w.now); at < end {
			end, ending = at, j
		}
	}
	return end, ending
}

func (w *world) end(j *job) {
	w.active = slices.Delete(w.active, slices.Index(w.active, j), slices.Index(w.active, j)+1)
	j.finish = w.now
	w.ended = append(w.ended, j)
}

func (w *world) divide() {
	w.rule.divide(w.now, w.gpus, w.active)
	for _, j := range w.active {
		if j.share > 0 && j.start == noTime {
			j.start = w.now
		}
	}
	w.redivideAt = noTime
	if period := w.rule.period(); period > 0 && len(w.active) > 0 {
		w.redivideAt = w.now + period
	}
}

// predictEnd runs ahead from now until the job ends, without those that come later.
func (w *world) predictEnd(j *job) micro {
	ahead := world{rule: w.rule, gpus: w.gpus, now: w.now, redivideAt: noTime, isForecast: true}
	var same *job
	for _, other := range w.active {
		copied := *other
		copied.service = other.remaining
		ahead.active = append(ahead.active, &copied)
		if other == j {
			same = &copied
		}
	}
	for same.finish == noTime && ahead.step() {
	}
	return same.finish
}

// ClockName is the name of the clock by which Simulate runs. Its policies know what every job
// needs.
const ClockName = "pcs"

// wrapper is a policy around another.
type wrapper interface{ Unwrap() policy.Policy }

// ErrNotDivisible is within the error of Simulate for a policy that gives only whole GPUs.
var ErrNotDivisible = errors.New("by this clock GPUs are divided into fractions, and only the policies afs, fifo, pcs, srtf and themis say how")

// RuleOf is how a policy divides GPUs into fractions: the rule that PCS' simulator has under
// its name. Of its parameters only those of pcs that bound queues and give them rates count.
func RuleOf(p policy.Policy) (Rule, error) {
	switch p := p.(type) {
	case wrapper:
		return RuleOf(p.Unwrap())
	case *afs.Policy:
		return AFS(), nil
	case *fifo.Policy:
		return firstCome{}, nil
	case *pcs.Policy:
		classes, settings, err := p.Classes()
		if err != nil {
			return nil, err
		}
		return weightedQueues{plain{}, classes.OfArrival, settings}, nil
	case *srtf.Policy:
		return leastService{}, nil
	case *themis.Policy:
		return finishTimeFair{}, nil
	}
	return nil, ErrNotDivisible
}

// Simulate is Run for a policy of the catalogue, in the shape of exact.Run.
func Simulate(c exact.Config) (*measure.Run, error) {
	rule, err := RuleOf(c.Policy)
	if err != nil {
		return nil, err
	}
	if err := exact.CheckClockSuits(c.Jobs, c.Clock); err != nil {
		return nil, err
	}
	gpus := 0.0
	for i := range c.Nodes {
		gpus += c.Nodes[i].WholeGPUs()
	}
	run, err := Run(Config{GPUs: int(gpus), Jobs: c.Jobs, Rule: rule, Seed: c.Seed, ReportProgress: c.ReportProgress})
	if err != nil {
		return nil, fmt.Errorf("dividing GPUs into fractions: %w", err)
	}
	return run, nil
}
