package cycle

import (
	"context"
	"fmt"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// storeIntents stores the cycle of every partition with what is to be sent of it, before
// anything is, and returns that.
func (l *Loop) storeIntents(ctx context.Context, s *cycleState, m Memory, r *Report) ([]bridge.Intent, Memory, []bridge.Doubt) {
	var all []bridge.Intent
	allowed := s.allowedEdits
	for i := range r.PartitionResults {
		e := &r.PartitionResults[i]
		if e.Err != nil {
			continue
		}
		var edits []slurm.Edit
		if e.MaySendEdits {
			edits, allowed = allowed.limitEdits(e.Edits)
		}
		if len(edits) < len(e.Edits) && r.Result == ResultNothing {
			r.Result = ResultObserved
		}
		intents, err := l.storeCycle(ctx, s, e, edits)
		if err != nil {
			return nil, m, newDoubts(bridge.CauseJournal, err)
		}
		all, m = append(all, intents...), m.withStoredCycle(e.Partition.Name, e.Snapshot.Seq)
	}
	return all, m, nil
}

// storeCycle stores the cycle of one partition with the intents of the edits.
func (l *Loop) storeCycle(ctx context.Context, s *cycleState, e *PartitionResult, edits []slurm.Edit) ([]bridge.Intent, error) {
	c := e.newCycleRecord(l.leader.Epoch)
	if !l.IsSimulation {
		if err := addSnapshotAndDigests(c, e); err != nil {
			return nil, err
		}
	}
	c.Pushed = len(edits)
	intents := make([]bridge.Intent, len(edits))
	for i, edit := range edits {
		intents[i] = s.newIntent(c, e, edit)
	}
	stored, err := l.Journal.StoreIntents(ctx, c, intents)
	if err != nil {
		return nil, fmt.Errorf("storing cycle %d of partition %s: %w", c.Seq, c.Partition, err)
	}
	return stored, nil
}

// newIntent makes the intent of an edit.
func (s *cycleState) newIntent(c *bridge.Cycle, e *PartitionResult, edit slurm.Edit) bridge.Intent {
	at := s.facts.View.At
	in := bridge.Intent{
		Cluster: c.Cluster, Epoch: c.Epoch, Cycle: c.Seq, Policy: c.Policy, Edit: edit, State: bridge.IntentPlanned, Made: at,
		Before: ledger.BeforeOfEdit(s.book, s.facts.View.Job(edit.Run.Job), edit, at), NotAfter: ledger.EditExpiry(edit),
	}
	in.Before.Stop = e.stopCost(edit)
	return in
}
