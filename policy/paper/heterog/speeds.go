package heterog

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// gangSpeeds are how fast a gang goes on GPUs of each type, as far as that is known.
type gangSpeeds struct {
	types   []typeSpeed // the fastest first
	devices int
}

// typeSpeed is the speed of the whole gang on GPUs of one type.
type typeSpeed struct {
	name  string
	speed float64
}

func newGangSpeeds(r *engine.Round, e *engine.Entry) *gangSpeeds {
	g := &gangSpeeds{devices: e.WantedDeviceCount}
	for _, name := range r.FreePool.WholeGPUTypes() {
		if speed, ok := r.SpeedFor(e.Job, name); ok && speed > 0 {
			g.types = append(g.types, typeSpeed{name, speed})
		}
	}
	slices.SortStableFunc(g.types, func(a, b typeSpeed) int { return cmp.Or(cmp.Compare(b.speed, a.speed), cmp.Compare(a.name, b.name)) })
	return g
}

func (g *gangSpeeds) fastest() float64 { return g.types[0].speed }

// speedOn is the speed on GPUs of one type; 0: not known.
func (g *gangSpeeds) speedOn(gpuType string) float64 {
	for _, t := range g.types {
		if t.name == gpuType {
			return t.speed
		}
	}
	return 0
}

// speed is that on devices of several types: as many steps as all do by themselves where each has its
// share of the batch, as many as the slowest lets them where parts are equal, and less for what
// exchanging between types costs.
func (g *gangSpeeds) speed(on policy.Alloc, mix string, cost float64) float64 {
	all, sum, least, most := float64(on.Count()), 0.0, 0.0, 0.0
	for _, slot := range on {
		v := g.speedOn(slot.Type)
		sum += v * float64(slot.Count) / all
		if least == 0 || v < least {
			least = v
		}
		most = max(most, v)
	}
	if mix == mixEven {
		sum = least
	}
	if sum <= 0 {
		return 0
	}
	return 1 / (1/sum + cost/most)
}

// shares are the parts of a batch that devices do in proportion to their speeds.
func (g *gangSpeeds) shares(on policy.Alloc) policy.BatchShares {
	sum := 0.0
	for _, slot := range on {
		sum += g.speedOn(slot.Type) * float64(slot.Count)
	}
	var shares policy.BatchShares
	for _, slot := range on {
		v := g.speedOn(slot.Type)
		if v <= 0 {
			return nil
		}
		if shares.ShareOf(slot.Type) == 0 {
			shares = append(shares, policy.BatchShare{Type: slot.Type, PerGPU: v / sum})
		}
	}
	slices.SortFunc(shares, func(a, b policy.BatchShare) int { return cmp.Compare(a.Type, b.Type) })
	return shares
}

// fillFastestFirst takes as many GPUs of the fastest type as are free, on as few nodes as can be, then of
// the next. No other choice of as many is faster. nil: there are not enough, or the gang asks for so many on each node.
func (g *gangSpeeds) fillFastestFirst(free *pool.Pool, partition string, gang policy.Ask) policy.Alloc {
	missing := gang.GPUs.Count
	var on policy.Alloc
	for _, t := range g.types {
		if missing == 0 {
			break
		}
		one := gang
		one.GPUs.Type = t.name
		rooms := free.ListRooms(partition, one)
		has := 0
		for _, room := range rooms {
			has += room.DeviceCount
		}
		part := policy.Ask{GPUs: policy.GPUs{Type: t.name, Count: min(has, missing)}}
		if part.GPUs.Count == 0 {
			continue
		}
		block, err := pool.FitInRooms(free, part, rooms)
		if err != nil {
			return nil
		}
		on, missing = append(on, block...), missing-part.GPUs.Count
	}
	if missing > 0 || gang.PerNode > 0 {
		return nil
	}
	slices.SortFunc(on, policy.Slot.Compare)
	return on
}
