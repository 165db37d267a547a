package astraea

import (
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// blockingBackfill is an engine.Backfiller: no job takes devices that a blocked job could
// use.
type blockingBackfill struct{ *Policy }

// NewPassCheck implements engine.Backfiller.
func (b blockingBackfill) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	if b.Block != "all" && !b.isStarving(r, blocked) {
		return func(*engine.Entry, policy.Alloc) error { return nil }
	}
	return func(_ *engine.Entry, on policy.Alloc) error {
		if !mayUseDevices(r.Snapshot, blocked.Job, on) {
			return nil
		}
		return fmt.Errorf("job %s is ahead and could use them: %w", blocked.Label(), engine.ErrReservedNodes)
	}
}

// mayUseDevices reports whether the job could use any of the devices.
func mayUseDevices(s *policy.Snapshot, j *policy.Job, on policy.Alloc) bool {
	return slices.ContainsFunc(on, func(slot policy.Slot) bool {
		n := s.Node(slot.Node)
		return n != nil && n.InPartition(j.Partition) && !slices.Contains(j.Ask.ExcludedNodes, n.Name) &&
			(len(j.Ask.RequiredNodes) == 0 || slices.Contains(j.Ask.RequiredNodes, n.Name)) &&
			(j.Ask.GPUs.Type == "" || j.Ask.GPUs.Type == slot.Type)
	})
}
