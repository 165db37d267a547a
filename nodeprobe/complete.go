package nodeprobe

import (
	"slices"
)

// CompleteFrom completes a fresh sample: it keeps from the one before (nil: none)
// what a restarted reader cannot know, says which GPUs are sick, and adds the
// processes up by job.
func (s *Sample) CompleteFrom(before *Sample) {
	if before != nil {
		s.keepOldFaults(before.GPUs)
	}
	for i := range s.GPUs {
		s.GPUs[i].SickReason = FindSickness(&s.GPUs[i])
	}
	s.Jobs = JobsOnGPUs(s.GPUs)
}

// keepOldFaults keeps Xids, which the driver tells once, and GPUs that the driver no
// longer lists. Restarting the probe, as a GPU reset needs, forgets both.
func (s *Sample) keepOldFaults(before []GPU) {
	for i := range before {
		old := &before[i]
		at := slices.IndexFunc(s.GPUs, func(g GPU) bool { return isSameDevice(&g, old) })
		if at < 0 {
			s.GPUs = append(s.GPUs, newLostGPU(old))
			continue
		}
		if now := &s.GPUs[at].Errors.Xid; IsWorseXid(old.Errors.Xid, *now) {
			*now = old.Errors.Xid
		}
	}
	slices.SortStableFunc(s.GPUs, func(a, b GPU) int { return a.Index - b.Index })
}

// isSameDevice reports whether two readings are of one device. A device without an
// identity is known by its place.
func isSameDevice(a, b *GPU) bool {
	if a.UUID == "" || b.UUID == "" {
		return a.Index == b.Index
	}
	return a.UUID == b.UUID
}

func newLostGPU(g *GPU) GPU {
	return GPU{
		Index: g.Index, UUID: g.UUID, Model: g.Model, MinorNumber: g.MinorNumber, PCIBusID: g.PCIBusID,
		LostReason: "the driver no longer lists it", Errors: Errors{Xid: g.Errors.Xid},
	}
}
