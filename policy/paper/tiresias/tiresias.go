// Package tiresias serves jobs by the GPU time they have received, in a few queues, so
// that short jobs get through though it is not known how long a job runs.
//
// J. Gu, M. Chowdhury, K. G. Shin, Y. Zhu, M. Jeon, J. Qian, H. Liu, C. Guo,
// "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019.
package tiresias

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
	"fairbridge/policy/solve/survival"
)

// Policy is Tiresias with its parameters.
type Policy struct {
	Queues      []float64         `param:"queues" help:"upper bounds of all queues but the last, in GPU-seconds; []: from history"`
	FirstQueue  policy.GPUSeconds `param:"first_queue" default:"3250" min:"1" help:"without queues and history: upper bound of the first, in GPU-seconds"`
	Quantile    float64           `param:"quantile" default:"0.7" max:"1" help:"without queues: which quantile of finished jobs' GPU-seconds bounds the first"`
	PromoteKnob float64           `param:"promote_knob" default:"8" help:"back to the first queue after a wait of so many times the run; 0: never"`
	Index       string            `param:"index" choices:"las,gittins,entry" default:"las" help:"order within a queue: first start; Gittins index; or when a job came into it, scanned anew each time as by the simulator of Pollux"`
	// WithinQueue costs stops and does not shorten the average.
	WithinQueue bool    `param:"within_queue" help:"let a job displace later ones of its own queue, as the paper's scan does"`
	Placement   string  `param:"placement" choices:"tight,emptiest,skew" default:"tight" help:"where gangs go: on the fewest nodes with least left over; on the emptiest first; or as in the paper, on the fewest and not elsewhere where that slows them, else into the smallest gaps"`
	Skew        float64 `param:"skew" default:"0.9" max:"1" help:"with placement skew: spread, a job slower than this part of its speed is kept together"`
	paper.Limits
}

// Decide implements policy.Policy.
func (t *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	promoted, err := recallPromotions(s)
	if err != nil {
		return nil, fmt.Errorf("policy tiresias: %w", err)
	}
	promoted = promoted.update(s, t.PromoteKnob)
	var sizes survival.SizeSample
	if len(t.Queues) == 0 || t.Index == "gittins" {
		sizes = newServiceSample(s.History)
	}
	levels := order.ByLeastAttained{QueueBounds: t.queueBounds(sizes), AttainedService: promoted.attainedSincePromotion}
	if t.Index == "gittins" {
		levels.KeyOfQueue = orderByGittinsIndex(levels, sizes)
	}
	pipeline := engine.Pipeline{
		Name:     "tiresias",
		Predict:  predict.Ladder{},
		Order:    levels,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.ByTier(queueTier(levels, t.WithinQueue)),
		Rules:    t.Rules(),
	}
	if t.Index == "entry" {
		pipeline.Allocate, pipeline.Preempt = &scanAllocator{levels, promoted}, nil
	}
	switch t.Placement {
	case "emptiest":
		pipeline.Place = place.EmptiestFirst{}
	case "skew":
		pipeline.Place = place.BySpread{LeastSpeed: t.Skew}
	}
	plan, err := pipeline.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = promoted.memo()
	return plan, nil
}

func (t *Policy) queueBounds(sizes survival.SizeSample) []policy.GPUSeconds {
	if len(t.Queues) > 0 {
		bounds := make([]policy.GPUSeconds, len(t.Queues))
		for i, q := range t.Queues {
			bounds[i] = policy.GPUSeconds(q)
		}
		return bounds
	}
	if q, ok := sizes.Quantile(t.Quantile); ok && q > 0 {
		return []policy.GPUSeconds{policy.GPUSeconds(q)}
	}
	return []policy.GPUSeconds{t.FirstQueue}
}

func newServiceSample(history []policy.FinishedJob) survival.SizeSample {
	v := make([]float64, len(history))
	for i, h := range history {
		v[i] = float64(h.Service)
	}
	return survival.NewSizeSample(v)
}

// orderByGittinsIndex orders a queue by the Gittins index over the way to the queue's end,
// highest first; the last queue is first come, first served.
func orderByGittinsIndex(l order.ByLeastAttained, sizes survival.SizeSample) func(int) order.Key {
	return func(queue int) order.Key {
		if queue == len(l.QueueBounds) {
			return func(*engine.Round, *engine.Entry, *engine.Entry) int { return 0 }
		}
		index := func(e *engine.Entry) float64 {
			had := l.AttainedService(e)
			chance, spent := sizes.ChanceToEndWithin(float64(had), float64(l.QueueBounds[queue]-had))
			if spent <= 0 {
				return 0
			}
			return chance / spent
		}
		return func(_ *engine.Round, a, b *engine.Entry) int { return cmp.Compare(index(b), index(a)) }
	}
}

// scanAllocator scans the queues anew each time, each in the order in which jobs came into it,
// and gives leases as long as GPUs last; what runs without one stops. So does Tiresias in the
// simulator of Pollux (A. Qiao et al., OSDI 2021).
type scanAllocator struct {
	levels order.ByLeastAttained
	known  promotions // made anew for this decision
}

// Allocate implements engine.Allocator.
func (s *scanAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := s.levels.Order(r) // also writes the notes
	if err != nil {
		return nil, err
	}
	s.updateEntries(r)
	slices.SortStableFunc(line, func(a, b *engine.Entry) int {
		x, y := s.known[a.ID], s.known[b.ID]
		return engine.ThenArrival(cmp.Or(cmp.Compare(x.Queue, y.Queue), x.EnteredAt.Compare(y.EnteredAt)), a, b)
	})
	left := grant.CountGrantableDevices(r)
	turns := make([]engine.Assignment, len(line))
	for i, e := range line {
		turns[i] = e.AssignmentWithoutLease()
		switch {
		case !grant.CompetesForLease(r, e):
		case left.TakeDevices(cmp.Or(e.On.FirstType(), e.Ask.GPUs.Type), e.WantedDeviceCount):
			turns[i].Grant.HasLease = true
		case e.HoldsGPUs():
			turns[i].Grant.StopReason = fmt.Sprintf("the jobs before it in line want the GPUs; it stands in queue %d", s.known[e.ID].Queue+1)
		}
	}
	return turns, nil
}

// updateEntries notes the jobs that came into a queue.
func (s *scanAllocator) updateEntries(r *engine.Round) {
	for _, e := range r.Entries {
		p, queue := s.known[e.ID], s.levels.QueueOf(e)
		if p.EnteredAt.IsZero() || p.Queue != queue {
			p.Queue, p.EnteredAt = queue, r.Now
			s.known[e.ID] = p
		}
	}
}
