package harmony

import (
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// place finds places for the first waiting jobs of the line together.
func (b *binder) place(r *engine.Round, line []*engine.Entry) {
	mark := r.FreePool.UndoMark()
	defer r.FreePool.Rewind(mark)
	s := &search{layout: b.layout, round: r, mayLeave: b.Policy.Order == orderReward}
	for _, e := range b.batch(r, line) {
		x := b.resident(e)
		x.typesToTry = r.OrderGPUTypes(e, nil)
		if places := b.layout.listPlaces(r, x, e); len(places) > 0 {
			s.jobs, s.places = append(s.jobs, x), append(s.places, places)
		}
	}
	if len(s.jobs) == 0 {
		return
	}
	best := b.findBest(r, s)
	for i, x := range s.jobs {
		s.free(x)
		if best != nil && best[i] != nil {
			b.planned[x.entry.Index] = best[i]
		}
	}
	for _, x := range s.jobs { // the line is walked with all of them in place, so that reasons tell of the end
		if on := b.planned[x.entry.Index]; on != nil {
			b.layout.add(x, on)
		}
	}
}

// findBest finds where the jobs of the batch go: as an agent says, where there is one that is near enough to the search.
func (b *binder) findBest(r *engine.Round, s *search) []policy.Alloc {
	best, bySearch := b.bySearch(r, s)
	if b.agent == nil || best == nil || b.Placement != placementLearned {
		return best
	}
	byAgent, reward, ok := b.byAgent(r, s)
	if why := b.differs(reward, bySearch, ok); why != "" {
		b.placedBy = why
		return best
	}
	return byAgent
}

// bySearch finds where the jobs of the batch go by the search, and what reward is predicted of that.
func (b *binder) bySearch(r *engine.Round, s *search) (best []policy.Alloc, most float64) {
	isLearned := b.Placement == placementLearned && !b.explores(r)
	if s.triesLeft = b.Tries; isLearned && s.canTryAll() {
		if best, reward := s.tryAll(); best != nil {
			return best, reward
		}
	}
	most = -1
	for _, begin := range b.beginnings(r) {
		s.triesLeft = b.Tries
		if !s.begin(begin) {
			continue
		}
		if isLearned {
			s.improve()
		}
		if s.reward > most {
			best, most = s.placement(), s.reward
		}
	}
	return best, most
}

// batch lists the first waiting jobs that find room: of those that go by arrival all together, else each by itself.
func (b *binder) batch(r *engine.Round, line []*engine.Entry) []*engine.Entry {
	mark := r.FreePool.UndoMark()
	defer r.FreePool.Rewind(mark)
	var out []*engine.Entry
	for _, e := range line {
		if len(out) == b.Batch || r.FreePool.TotalFree("") == 0 && len(r.FreePool.WholeGPUTypes()) > 0 {
			break
		}
		gang := e.GangAsk()
		if e.HoldsGPUs() || e.UnplaceableReason != "" || !r.MayRun(e) || !r.FreePool.Fits(e.Partition, gang) {
			continue
		}
		on, err := pool.Fit(r.FreePool, e.Partition, gang)
		if err != nil || b.Policy.Order != orderReward && r.FreePool.Take(on, gang.CPUs, gang.MemMB) != nil {
			continue
		}
		out = append(out, e)
	}
	return out
}

// beginning says where a job goes at first; nil: where it adds most to the reward.
type beginning = func(x *resident, places []place) policy.Alloc

// beginnings are those that the search starts from, or the one that is to be compared with.
func (b *binder) beginnings(r *engine.Round) []beginning {
	best := func(x *resident, _ []place) policy.Alloc {
		on, _ := pool.Fit(r.FreePool, x.entry.Partition, x.entry.GangAsk())
		return on
	}
	worst := func(x *resident, _ []place) policy.Alloc { return emptiestFirst(r, x) }
	switch {
	case b.Placement == placementBest:
		return []beginning{best}
	case b.Placement == placementWorst:
		return []beginning{worst}
	case b.Placement == placementRandom:
		return []beginning{func(x *resident, _ []place) policy.Alloc { return anyRoom(r, x) }}
	case b.explores(r):
		return []beginning{[]beginning{best, worst}[chance(r.Seq, 1)%2]}
	}
	return []beginning{best, worst, func(*resident, []place) policy.Alloc { return nil }}
}

// explores reports whether this decision is one that places as if nothing were known.
func (b *binder) explores(r *engine.Round) bool {
	return float64(chance(r.Seq, 0)%1000) < 1000*b.Explore
}

// emptiestFirst fills the nodes with the most free devices first.
func emptiestFirst(r *engine.Round, x *resident) policy.Alloc {
	return fillRooms(r, x, func(rooms []pool.Room) {
		slices.SortStableFunc(rooms, func(a, b pool.Room) int { return b.DeviceCount - a.DeviceCount })
	})
}

// anyRoom fills nodes in an order by chance, a node that holds all of a gang before others.
func anyRoom(r *engine.Round, x *resident) policy.Alloc {
	return fillRooms(r, x, func(rooms []pool.Room) {
		need := x.entry.GangAsk().GPUs.Count
		key := func(i int) uint64 { return chance(r.Seq, uint64(x.entry.ID)<<20+uint64(i)) }
		for i := len(rooms) - 1; i > 0; i-- {
			k := int(key(i) % uint64(i+1))
			rooms[i], rooms[k] = rooms[k], rooms[i]
		}
		slices.SortStableFunc(rooms, func(a, b pool.Room) int { return holds(b, need) - holds(a, need) })
	})
}

func holds(room pool.Room, need int) int {
	if room.DeviceCount >= need {
		return 1
	}
	return 0
}

// fillRooms puts a gang into as few of the first rooms as hold it, on the first GPU type that has any; nil: where a shape is asked for
// that those do not have.
func fillRooms(r *engine.Round, x *resident, arrange func([]pool.Room)) policy.Alloc {
	e := x.entry
	gang := x.gang(e)
	for _, gang.GPUs.Type = range r.FreePool.TypesFor(&gang) {
		rooms := r.FreePool.ListRooms(e.Partition, gang)
		arrange(rooms)
		for n := range rooms {
			if on, err := pool.FitInRooms(r.FreePool, gang, slices.Clone(rooms[:n+1])); err == nil {
				return on
			}
		}
	}
	return nil
}

// choose returns where a job that no search placed adds most to the reward; nil: nowhere in particular.
func (b *binder) choose(r *engine.Round, x *resident, e *engine.Entry) policy.Alloc {
	if b.Placement == placementBest {
		return nil
	}
	at := *x // a copy of the entry may exclude nodes
	at.entry, at.on, at.slots = e, nil, nil
	switch b.Placement {
	case placementWorst:
		return emptiestFirst(r, &at)
	case placementRandom:
		return anyRoom(r, &at)
	}
	if x.on != nil {
		b.layout.remove(x)
	}
	s := &search{layout: b.layout, round: r, jobs: []*resident{&at}, places: [][]place{b.layout.listPlaces(r, &at, e)}}
	mark := r.FreePool.UndoMark()
	on := s.best(0)
	r.FreePool.Rewind(mark)
	if on != nil {
		b.layout.add(x, on)
	}
	return on
}

// chance makes of numbers one that looks drawn (SplitMix64).
func chance(numbers ...uint64) uint64 {
	h := uint64(0)
	for _, n := range numbers {
		h += n + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
