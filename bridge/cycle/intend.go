package cycle

import (
	"context"
	"fmt"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// intend stores the cycle of every partition with what is to be sent of it, before
// anything is, and returns that.
func (l *Loop) intend(ctx context.Context, s *situation, m Memory, r *Report) ([]bridge.Intent, Memory, []bridge.Doubt) {
	var all []bridge.Intent
	allowed := s.allowed
	for i := range r.Evaluations {
		e := &r.Evaluations[i]
		if e.Err != nil {
			continue
		}
		var edits []slurm.Edit
		if e.Send {
			edits, allowed = allowed.limit(e.Edits)
		}
		if len(edits) < len(e.Edits) && r.Result == Nothing {
			r.Result = Observed
		}
		intents, err := l.store(ctx, s, e, edits)
		if err != nil {
			return nil, m, doubtsOf(bridge.CauseJournal, err)
		}
		all, m = append(all, intents...), m.withStored(e.Partition.Name, e.Snapshot.Seq)
	}
	return all, m, nil
}

// store stores the cycle of one partition with the intents of the edits.
func (l *Loop) store(ctx context.Context, s *situation, e *Evaluation, edits []slurm.Edit) ([]bridge.Intent, error) {
	c := e.record(l.leader.Epoch)
	if !l.Bare {
		if err := addDigests(c, e); err != nil {
			return nil, err
		}
	}
	c.Pushed = len(edits)
	intents := make([]bridge.Intent, len(edits))
	for i, edit := range edits {
		intents[i] = s.intent(c, e, edit)
	}
	stored, err := l.Journal.StoreIntents(ctx, c, intents)
	if err != nil {
		return nil, fmt.Errorf("storing cycle %d of partition %s: %w", c.Seq, c.Partition, err)
	}
	return stored, nil
}

// intent makes the intent of an edit.
func (s *situation) intent(c *bridge.Cycle, e *Evaluation, edit slurm.Edit) bridge.Intent {
	at := s.facts.View.At
	in := bridge.Intent{
		Cluster: c.Cluster, Epoch: c.Epoch, Cycle: c.Seq, Policy: c.Policy, Edit: edit, State: bridge.IntentPlanned, Made: at,
		Before: ledger.BeforeOfEdit(s.book, s.facts.View.Job(edit.Run.Job), edit, at), NotAfter: ledger.EditExpiry(edit),
	}
	in.Before.Stop = e.stopCost(edit)
	return in
}
