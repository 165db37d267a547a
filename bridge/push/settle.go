package push

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// MaxClosedIntentAge is how far back closed intents matter: the longest budget of the gate
// and the time a job is left alone after somebody changed it.
const MaxClosedIntentAge = 25 * time.Hour

// IntentReader is where the intents are.
type IntentReader interface {
	Intents(ctx context.Context, cluster string, now, since time.Time) ([]bridge.Intent, error)
}

// ReadRecentIntents returns the intents of the cluster that matter at the time, by ID.
func ReadRecentIntents(ctx context.Context, l IntentReader, cluster string, at time.Time) ([]bridge.Intent, error) {
	intents, err := l.Intents(ctx, cluster, at, at.Add(-MaxClosedIntentAge))
	if err != nil {
		return nil, fmt.Errorf("reading the ledger: %w", err)
	}
	return intents, nil
}

// ReconcileIntents returns the intents as the view leaves them, and those of them that
// it closed or otherwise changed. What array tasks have inherited, and values of ours
// that stand again, come last, without ID until StoreInheritedIntents has stored them. It writes
// what changed into the intents that it is handed, and to nothing else.
func ReconcileIntents(intents []bridge.Intent, v *slurm.View) (now, changed []bridge.Intent) {
	changed = ledger.SettleIntents(intents, v, v.At)
	now = ledger.ReplaceChangedIntents(intents, changed)
	if restored := ledger.RestoredIntents(now, v); len(restored) > 0 {
		now = slices.Concat(now, restored)
	}
	if topped, closed := ledger.ToppedIntents(now, v); len(topped) > 0 {
		now, changed = slices.Concat(ledger.ReplaceChangedIntents(now, closed), topped), slices.Concat(changed, closed)
	}
	if more := slices.Concat(ledger.OlderStateIntents(now, v), ledger.InheritedIntents(now, v)); len(more) > 0 {
		now = slices.Concat(now, more)
	}
	return withAddresses(now, v), changed
}

// withAddresses returns the intents with their jobs as squeue writes them: the ledger does not
// keep that, and it changes when tasks are split off. They are the very same where nothing differs.
func withAddresses(intents []bridge.Intent, v *slurm.View) []bridge.Intent {
	isCopy := false
	for i := range intents {
		j := v.Job(intents[i].Edit.Run.Job)
		if j == nil || intents[i].Edit.Address == j.Address() {
			continue
		}
		if !isCopy {
			intents, isCopy = slices.Clone(intents), true
		}
		intents[i].Edit.Address = j.Address()
	}
	return intents
}

// IntentUpdater is where it is written what became of intents.
type IntentUpdater interface {
	UpdateIntent(context.Context, bridge.Intent) error
}

// IntentStore is where intents are stored.
type IntentStore interface {
	IntentUpdater
	StoreIntents(context.Context, *bridge.Cycle, []bridge.Intent) ([]bridge.Intent, error)
}

// UpdateChangedIntents writes down what became of intents, as long as that may be written: who does not lead any more knows an
// older poll than the ledger. count is called with each; nil: none is counted.
func UpdateChangedIntents(ctx context.Context, l IntentUpdater, changed []bridge.Intent, mayWrite func(context.Context) error, count func(*bridge.Intent)) error {
	for i := range changed {
		if err := mayWrite(ctx); err != nil {
			return fmt.Errorf("before closing intent %d: %w", changed[i].ID, err)
		}
		if err := l.UpdateIntent(ctx, changed[i]); err != nil {
			return fmt.Errorf("closing intent %d: %w", changed[i].ID, err)
		}
		if count != nil {
			count(&changed[i])
		}
	}
	return nil
}

// StoreInheritedIntents writes down what was inherited, so that the ledger knows it when the
// array's record is long gone, and returns the intents with their IDs. An intent
// that was stored and not marked is void at the next look, and inherited again.
func StoreInheritedIntents(ctx context.Context, l IntentStore, epoch int64, intents []bridge.Intent) ([]bridge.Intent, error) {
	from := len(intents)
	for from > 0 && intents[from-1].ID == 0 { // they come last
		from--
	}
	if from == len(intents) {
		return intents, nil
	}
	rows := slices.Clone(intents[from:])
	for i := range rows {
		rows[i].Epoch = epoch
	}
	stored, err := l.StoreIntents(ctx, nil, rows)
	if err != nil {
		return nil, fmt.Errorf("storing what %d tasks inherited from their arrays: %w", len(rows), err)
	}
	for i := range stored {
		stored[i].State = bridge.IntentObserved
		if err := l.UpdateIntent(ctx, stored[i]); err != nil {
			return nil, fmt.Errorf("marking what job %s inherited from its array: %w", stored[i].Edit.JobLabel(), err)
		}
	}
	return slices.Concat(intents[:from], stored), nil
}
