package optimus

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/predict"
	"fairbridge/policy/sizing"
)

// allocator is the stage, for one decision.
type allocator struct {
	*Policy
	round        *engine.Round
	bids         []*bid
	demandByType map[string]int // see engine.Round.CountTypeDemand
}

// bid is a job in the line, and what it is given.
type bid struct {
	*engine.Entry
	claim
	gpuType  string
	floor    int    // devices it needs at least; 0 devices or so many
	isFixed  bool   // it runs and keeps what it has
	isPinned bool   // it keeps what it has in this division
	count    int    // devices it is given; 0: none
	placedOn string // the type it is given them of, where it takes any and is not sized; "": any
}

// Allocate implements engine.Allocator.
func (o *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	o.round = r
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, engine.CompareArrival)
	o.bids = make([]*bid, len(line))
	for i, e := range line {
		o.bids[i] = o.newBid(e)
		e.WantedDeviceCount = o.bids[i].floor
	}
	o.demandByType = r.CountTypeDemand(line)
	o.size()
	turns := make([]engine.Assignment, len(line))
	for i, b := range o.bids {
		turns[i] = b.assignment(r)
	}
	o.arrange(turns)
	return turns, nil
}

func (o *allocator) newBid(e *engine.Entry) *bid {
	b := &bid{Entry: e, gpuType: sizing.TypeOf(e), floor: e.Ask.GPUs.Count, count: e.On.Count()}
	elastic := sizing.HasRange(e)
	if elastic {
		b.floor = e.MinGPUs
	}
	b.most = b.floor
	b.isFixed = e.HoldsGPUs() && (e.IsUnstoppable || e.MinGPUs == 0 || e.UnplaceableReason != "")
	if b.isFixed || !elastic {
		return b
	}
	if b.gpuType == "" {
		types := slices.Clone(o.round.FreePool.WholeGPUTypes())
		if sizing.SortFastestFirst(o.round, e, types); len(types) > 0 {
			b.gpuType = types[0]
		}
	}
	b.most = e.MaxGPUs
	if e.KnowsScaling() {
		b.most = sizing.MostMeasured(e)
	}
	speed, left := speeds(e.Job, b.gpuType), o.secondsLeft(e)
	known := map[int]float64{}
	b.secondsOn = func(n int) float64 {
		if _, ok := known[n]; !ok {
			known[n] = left / max(speed(n), 1e-12)
		}
		return known[n]
	}
	b.weight = 1
	if e.Estimate().Source != predict.FromTraining && e.Estimate().Source != predict.FromProgress {
		b.weight = o.Young
	}
	return b
}

// unknownSecondsLeft stands for the time left of a job of which nothing is known.
const unknownSecondsLeft = 3600

// secondsLeft is how long a job has left on what it asks.
func (o *allocator) secondsLeft(e *engine.Entry) float64 {
	t := e.Training
	if t != nil && (o.Losses == "always" || o.Losses == "unknown" && t.Steps <= 0) {
		steps, ok := stepsToConverge(t, o.Threshold)
		if rate, known := t.Rate(cmp.Or(e.Ask.GPUs.Type, e.On.FirstType())); ok && known && rate > 0 {
			est := e.Estimate()
			est.Source = predict.FromTraining
			e.SetEstimate(est)
			return steps / rate
		}
	}
	if e.Estimate().TimeLeft > 0 {
		return e.Estimate().TimeLeft.Seconds()
	}
	return unknownSecondsLeft
}

// assignment is what the job is given: those without anything stand by, for what others leave.
func (b *bid) assignment(r *engine.Round) engine.Assignment {
	a := b.Entry.AssignmentWithoutLease()
	switch {
	case b.isFixed:
		a.Grant.HasLease = true // no job displaces it
	case b.count > 0:
		a.DeviceCount, a.Grant.HasLease = b.count, true
	case b.HoldsGPUs():
		a.Grant.StopReason = "jobs that came before it need the GPUs"
	case b.IsElastic():
		a.DeviceCount = b.floor
	}
	if !r.OmitReasons && b.secondsOn != nil && b.count > 0 {
		a.Note = fmt.Sprintf("%s left on %s", policy.FormatDuration(policy.DurationFromSeconds(b.secondsOn(b.count))), policy.FormatCount(b.count, "GPU"))
	}
	return a
}

// giveFloors gives every job its least, in order of arrival, as long as devices last. Jobs that
// are pinned keep what they have.
func (o *allocator) giveFloors() grant.FreeByType {
	left := grant.CountGrantableDevices(o.round)
	for _, b := range o.bids {
		if b.isFixed && !b.IsUnstoppable || b.isPinned {
			left.TakeDevices(b.On.FirstType(), b.On.Count())
		}
	}
	for _, b := range o.bids {
		switch {
		case b.isFixed:
		case b.isPinned:
			b.count = b.On.Count()
		case (b.HoldsGPUs() || o.mayStart(b)) && o.takeFloor(left, b):
			b.count = b.floor
		default:
			b.count = 0
		}
	}
	return left
}

// takeFloor takes the least a job needs of its type; of one that takes any, of the fastest for it
// that has so many left, first of those that jobs which insist on them leave enough of.
func (o *allocator) takeFloor(left grant.FreeByType, b *bid) bool {
	b.placedOn = ""
	if b.gpuType != "" {
		return left.TakeDevices(b.gpuType, b.floor)
	}
	for _, typ := range o.round.OrderGPUTypes(b.Entry, o.demandByType) {
		if left.TakeDevices(typ, b.floor) {
			b.placedOn = typ
			return true
		}
	}
	return false
}

// mayStart reports whether a waiting job could start with its least.
func (o *allocator) mayStart(b *bid) bool {
	b.WantedDeviceCount = b.floor
	return o.round.MayRun(b.Entry) && o.round.CheckEverFits(b.Entry) == nil
}
