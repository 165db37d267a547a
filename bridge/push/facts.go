package push

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// inherit adds to the facts what tasks that were split off an array have of ours
// from it. These intents have no ID until they are kept.
func (f *Facts) inherit() {
	f.Intents = append(slices.Clip(f.Intents), ledger.Adopt(f.Intents, f.View)...)
}

// Keep writes down what was inherited, so that the ledger knows it when the
// array's record is long gone. An intent that was stored and not marked is void
// at the next look, and inherited again.
func (f *Facts) Keep(ctx context.Context, j bridge.Journal, epoch int64) error {
	from := slices.IndexFunc(f.Intents, func(in bridge.Intent) bool { return in.ID == 0 })
	if from < 0 {
		return nil
	}
	rows := slices.Clone(f.Intents[from:])
	for i := range rows {
		rows[i].Epoch = epoch
	}
	stored, err := j.Intend(ctx, nil, rows)
	if err != nil {
		return fmt.Errorf("storing what %d tasks inherited from their arrays: %w", len(rows), err)
	}
	for i := range stored {
		stored[i].State = bridge.Observed
		if err := j.Mark(ctx, stored[i]); err != nil {
			return fmt.Errorf("marking what job %d inherited from its array: %w", stored[i].Edit.Run.Job, err)
		}
	}
	copy(f.Intents[from:], stored)
	f.Book = ledger.NewBook(f.Intents)
	return nil
}

// Undoing makes the intents of edits that give values of ours back.
func (f *Facts) Undoing(cluster string, epoch int64, edits []slurm.Edit) []bridge.Intent {
	out := make([]bridge.Intent, len(edits))
	for i, e := range edits {
		out[i] = bridge.Intent{
			Cluster: cluster, Epoch: epoch, Policy: "release", Edit: e,
			Before: ledger.BeforeOf(f.Book, f.View.Job(e.Run.Job), e, f.View.At), State: bridge.Planned, Made: f.View.At,
		}
	}
	return out
}

// Recent is how far back closed intents matter: the longest budget of the gate
// and the time a job is left alone after somebody changed it.
const Recent = 25 * time.Hour

// Facts are what a cycle knows, as values.
type Facts struct {
	View    *slurm.View
	Past    *bridge.Past
	Busy    map[string][]policy.Devices
	Intents []bridge.Intent
	Memos   map[string]bridge.Memo // by partition
	Book    *ledger.Book           // of Intents
	Owed    []ledger.Debt          // hand-backs that were cut off and left a job held
	Left    map[string]string      // users whose jobs are left alone, and why
	Expires bool                   // something outside the daemon takes node lists back
}

// Read reads the ledger.
func (f *Facts) Read(ctx context.Context, j bridge.Journal, cluster string) error {
	intents, err := j.Intents(ctx, cluster, f.View.At, f.View.At.Add(-Recent))
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	f.Intents = intents
	return nil
}

// Settle closes the intents whose outcome the view shows, and adds what tasks have
// inherited. It returns those that changed.
func (f *Facts) Settle() (changed []bridge.Intent) {
	changed = ledger.Settle(f.Intents, f.View, f.View.At)
	f.Intents = ledger.Replace(f.Intents, changed)
	f.inherit()
	f.Owed = ledger.Debts(f.Intents, f.View)
	f.Book = ledger.NewBook(f.Intents)
	return changed
}

// Open counts the intents whose outcome is still to be seen, those included
// whose job is absent without a proof that it is gone.
func (f *Facts) Open() int {
	n := 0
	for i := range f.Intents {
		in := &f.Intents[i]
		id := in.Edit.Run.Job
		if in.State.Open() || in.State == bridge.Observed && f.View.Job(id) == nil && !f.View.ProvenGone(id) {
			n++
		}
	}
	for _, d := range f.Owed { // these wait for a person, not for a poll
		if !d.Ours {
			n--
		}
	}
	return n
}
