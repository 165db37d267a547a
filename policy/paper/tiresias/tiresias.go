// Package tiresias serves jobs by the GPU time they have received, in a few queues, so
// that short jobs get through without anybody knowing how long a job runs.
//
// J. Gu, M. Chowdhury, K. G. Shin, Y. Zhu, M. Jeon, J. Qian, H. Liu, C. Guo,
// "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019.
package tiresias

import (
	"cmp"
	"fmt"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
	"fairbridge/policy/solve/survival"
)

// Policy is Tiresias with its parameters.
type Policy struct {
	// Queues are the upper bounds of all queues but the last in GPU-seconds,
	// ascending. Empty: one bound, the Quantile of the service of finished jobs;
	// without history 3250 GPU-seconds, as in the authors' simulator.
	Queues   []policy.GPUSeconds
	Quantile float64 // 0..1
	// PromoteKnob: a job that waited this many times as long as it ran since its
	// last promotion goes back to the first queue; 0: never.
	PromoteKnob float64
	// Index is "las", by first start within a queue; or "gittins", by the chance
	// to end within the queue per GPU time spent on it, from finished jobs.
	Index string
	// Within lets a job displace jobs of its own queue that started after it, as
	// the authors' scan does. It costs stops and does not shorten the average.
	Within   bool
	MinRun   time.Duration // shortest run before a job may be stopped
	MaxStops int           // stops in a job's life; negative: any number
	MaxWait  time.Duration // wait after which nobody may delay a job; 0: never
}

// Decide implements policy.Policy.
func (t *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	promoted, err := readPromotions(s)
	if err != nil {
		return nil, fmt.Errorf("policy tiresias: %w", err)
	}
	promoted = promoted.next(s, t.PromoteKnob)
	var sizes survival.Sample
	if len(t.Queues) == 0 || t.Index == "gittins" {
		sizes = services(s.History)
	}
	levels := order.Levels{Bounds: t.bounds(sizes), Attained: promoted.attained}
	if t.Index == "gittins" {
		levels.Within = gittins(levels, sizes)
	}
	plan, err := engine.Pipeline{
		Name:     "tiresias",
		Predict:  predict.Ladder{},
		Order:    levels,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(tier(levels, t.Within)),
		Rules:    paper.Rules(t.MinRun, t.MaxStops, t.MaxWait),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = promoted.memo()
	return plan, nil
}

func (t *Policy) bounds(sizes survival.Sample) []policy.GPUSeconds {
	if len(t.Queues) > 0 {
		return t.Queues
	}
	if q, ok := sizes.Quantile(t.Quantile); ok && q > 0 {
		return []policy.GPUSeconds{policy.GPUSeconds(q)}
	}
	return []policy.GPUSeconds{3250}
}

func services(history []policy.Sample) survival.Sample {
	v := make([]float64, len(history))
	for i, h := range history {
		v[i] = float64(h.Service)
	}
	return survival.NewSample(v)
}

// gittins orders a queue by the Gittins index over the way to the queue's end,
// highest first; the last queue is first come, first served.
func gittins(l order.Levels, sizes survival.Sample) func(int) order.Key {
	return func(queue int) order.Key {
		if queue == len(l.Bounds) {
			return func(*engine.Round, *engine.Entry, *engine.Entry) int { return 0 }
		}
		index := func(e *engine.Entry) float64 {
			had := l.Attained(e)
			chance, spent := sizes.EndsWithin(float64(had), float64(l.Bounds[queue]-had))
			if spent <= 0 {
				return 0
			}
			return chance / spent
		}
		return func(_ *engine.Round, a, b *engine.Entry) int { return cmp.Compare(index(b), index(a)) }
	}
}
