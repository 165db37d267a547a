package tiresias

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/order"
)

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
