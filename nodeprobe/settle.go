package nodeprobe

import "slices"

// Settle completes a fresh sample: it keeps from the one before (nil: none)
// what a restarted reader cannot know, says which GPUs are sick, and adds the
// processes up by job.
func (s *Sample) Settle(before *Sample) {
	if before != nil {
		s.carry(before.GPUs)
	}
	for i := range s.GPUs {
		s.GPUs[i].Sick = Diagnose(&s.GPUs[i])
	}
	s.Jobs = JobsOf(s.GPUs)
}

// carry keeps Xids, which the driver tells once, and GPUs that the driver no
// longer lists. Restarting the probe, as a GPU reset needs, forgets both.
func (s *Sample) carry(before []GPU) {
	for i := range before {
		old := &before[i]
		at := slices.IndexFunc(s.GPUs, func(g GPU) bool { return same(&g, old) })
		if at < 0 {
			s.GPUs = append(s.GPUs, gone(old))
			continue
		}
		if now := &s.GPUs[at].Errors.Xid; Worse(old.Errors.Xid, *now) {
			*now = old.Errors.Xid
		}
	}
	slices.SortStableFunc(s.GPUs, func(a, b GPU) int { return a.Index - b.Index })
}

// same reports whether two readings are of one device. A device without an
// identity is known by its place.
func same(a, b *GPU) bool {
	if a.UUID == "" || b.UUID == "" {
		return a.Index == b.Index
	}
	return a.UUID == b.UUID
}

func gone(g *GPU) GPU {
	return GPU{
		Index: g.Index, UUID: g.UUID, Model: g.Model, Minor: g.Minor, Bus: g.Bus,
		Lost: "the driver no longer lists it", Errors: Errors{Xid: g.Errors.Xid},
	}
}
