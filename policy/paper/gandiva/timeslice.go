package gandiva

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
)

// timeSliceAllocator is an engine.Allocator: it hands out the time slices of one round.
// Two jobs that are packed on the same GPUs take one slice together: the host holds
// the lease, the guest goes with it.
type timeSliceAllocator struct {
	*Policy
	memo *memo // as remembered; Allocate replaces it
}

// Allocate implements engine.Allocator: the job that had the least time first.
func (s *timeSliceAllocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	next := s.memo.update(r)
	unpacked := s.introspect(r, s.memo.Pairs, next)
	s.packJobs(r, next, unpacked)
	s.memo = next
	host := map[policy.JobID]policy.JobID{}
	for _, p := range next.Pairs {
		host[p.Guest] = p.Host
	}
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		return cmp.Or(cmp.Compare(next.SecondsRun[a.Index], next.SecondsRun[b.Index]), cmp.Compare(b.Ask.GPUs.Count, a.Ask.GPUs.Count), cmp.Compare(a.ID, b.ID))
	})
	turns, left, leased := make([]engine.Assignment, len(line)), grant.CountGrantableDevices(r), map[policy.JobID]bool{}
	for i, e := range line {
		t := e.AssignmentWithoutLease()
		if !r.OmitReasons {
			t.Note = fmt.Sprintf("it has had turns of %s, fewest first", policy.FormatSeconds(next.SecondsRun[e.Index]))
		}
		t.BesideJob = host[e.ID]
		if t.Grant.StopReason = unpacked[e.ID]; t.Grant.StopReason == "" && t.BesideJob == 0 {
			t.Grant.HasLease = grant.CompetesForLease(r, e) && left.TakeDevices(e.Ask.GPUs.Type, t.DeviceCount)
			leased[e.ID] = t.Grant.HasLease
		}
		turns[i] = t
	}
	for i := range turns {
		turns[i].Grant.MayRunWithoutLease = leased[turns[i].BesideJob]
	}
	return turns, nil
}
