package harmony

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/pool"
)

// binder is an engine.Orderer and engine.Placer of one round.
type binder struct {
	*Policy
	costs         *costs
	unknownLength time.Duration
	layout        *layout
	residents     []*resident    // by Entry.Index
	planned       []policy.Alloc // by Entry.Index; nil: it has no place by the search
	placedBy      string         // whose placement it is where there is an agent, for reasons
}

// Order implements engine.Orderer: by arrival, or those first that the search found a place for.
func (b *binder) Order(r *engine.Round) ([]*engine.Entry, error) {
	line, err := order.ByArrival{}.Order(r)
	if err != nil {
		return nil, err
	}
	b.planned, b.residents = make([]policy.Alloc, len(r.Entries)), make([]*resident, len(r.Entries))
	b.layout = newLayout(r.Snapshot, b.costs)
	for _, e := range r.RunningEntries() {
		b.layout.add(b.resident(e), e.On)
	}
	if b.Policy.Order == orderReward {
		slices.SortStableFunc(line, b.compareReward)
	}
	b.place(r, line)
	if b.Policy.Order == orderReward {
		slices.SortStableFunc(line, func(x, y *engine.Entry) int { return b.turn(x) - b.turn(y) })
	}
	return line, nil
}

// compareReward puts running jobs first, then those that add most to the reward for each of their GPUs.
func (b *binder) compareReward(x, y *engine.Entry) int {
	if x.HoldsGPUs() || y.HoldsGPUs() {
		return b.turn(x) - b.turn(y)
	}
	return cmp.Compare(b.rewardPerGPU(y), b.rewardPerGPU(x))
}

func (b *binder) rewardPerGPU(e *engine.Entry) float64 {
	return b.resident(e).weight / max(e.Ask.GPUs.WholeGPUs(), .01)
}

// turn is 0 for jobs that run, 1 for those with a place and 2 for others.
func (b *binder) turn(e *engine.Entry) int {
	switch {
	case e.HoldsGPUs():
		return 0
	case b.planned[e.Index] != nil:
		return 1
	}
	return 2
}

// resident returns what counts of a job.
func (b *binder) resident(e *engine.Entry) *resident {
	if x := b.residents[e.Index]; x != nil {
		return x
	}
	x := &resident{entry: e, class: b.costs.indexOf(classOf(e.Job)), weight: b.weight(e), spreadLoss: b.Spread}
	if e.Scaling != nil && e.Scaling.SpreadSpeed > 0 {
		x.spreadLoss, x.isMeasured = -math.Log(min(e.Scaling.SpreadSpeed, 1)), true
	}
	b.residents[e.Index] = x
	return x
}

// weight is what the speed of a job counts: one over its whole run time in hours, the median of finished jobs' where that is
// not known, or as the parameter says.
func (b *binder) weight(e *engine.Entry) float64 {
	switch b.Weight {
	case weightEqual:
		return 1
	case weightGPUs:
		return e.Ask.GPUs.WholeGPUs()
	}
	length := e.Estimate().TimeLeft + e.TotalRunTime()
	if e.Estimate().TimeLeft <= 0 {
		length = min(b.unknownLength, 1e6*time.Hour)
	}
	return 1 / max(length, time.Minute).Hours()
}

// Place implements engine.Placer: where the search found room, else where the job adds most to the reward.
func (b *binder) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang, x := e.GangAsk(), b.resident(r.Entries[e.Index])
	on := b.planned[e.Index]
	if on == nil || !pool.AllowsAlloc(r.FreePool, on, e.Partition, gang) || !isFree(r.FreePool, on, gang) {
		on = b.choose(r, x, e)
	}
	if on == nil {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	if !r.OmitReasons {
		r.Entries[e.Index].Note = b.describe(x, on)
	}
	return on, nil
}

// isFree reports whether the devices are free with the cores and memory that the gang asks.
func isFree(free *pool.Pool, on policy.Alloc, gang policy.Ask) bool {
	mark := free.UndoMark()
	defer free.Rewind(mark)
	return free.Take(on, gang.CPUs, gang.MemMB) == nil
}

// describe says how fast a job is expected to be at a place.
func (b *binder) describe(x *resident, on policy.Alloc) string {
	return fmt.Sprintf("expected there at %.2g of its speed alone, by %.0f measurements of jobs beside each other", b.speedAt(x, on), b.costs.seen)
}

// speedAt is how fast a job would be at a place, as the plan stands.
func (b *binder) speedAt(x *resident, on policy.Alloc) float64 {
	l := b.layout
	was := x.on
	if was != nil {
		l.remove(x)
	}
	l.add(x, on)
	v := l.speed(x)
	l.remove(x)
	if was != nil {
		l.add(x, was)
	}
	return v
}
