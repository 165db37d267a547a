package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Facts are what a cycle knows, as values.
type Facts struct {
	View    *slurm.View
	Past    *Past
	Busy    map[string][]policy.Devices
	Intents []ledger.Intent
	Memos   map[string]Memo // by partition
}

// Memo is what the policy of a partition remembered, and the number of the
// cycle it did so in.
type Memo struct {
	Bytes []byte
	Seq   uint64
}

// Thought is what a cycle makes of one partition.
type Thought struct {
	Partition Partition
	Snapshot  *policy.Snapshot
	Plan      *policy.Plan   // as the gate lets it through; nil when the policy failed
	Refused   []gate.Refusal // what the gate turned down
	Edits     []slurm.Edit   // what would change in Slurm
	Err       error          // why there is no plan
	Took      map[string]time.Duration
}

// think decides for every partition. Nothing in it reads or changes the world.
func (l *Loop) think(ctx context.Context, f *Facts) []Thought {
	book := ledger.NewBook(f.Intents)
	var thoughts []Thought
	for _, p := range l.Partitions {
		if p.Mode == gate.Off {
			continue
		}
		t := Thought{Partition: p, Took: map[string]time.Duration{}}
		l.thinkOf(ctx, f, book, &t)
		thoughts = append(thoughts, t)
	}
	l.lastLook(f, thoughts)
	return thoughts
}

func (l *Loop) thinkOf(ctx context.Context, f *Facts, book *ledger.Book, t *Thought) {
	memo := f.Memos[t.Partition.Name]
	t.time(l.Now, "assemble", func() {
		t.Snapshot = Assemble(Known{
			View: f.View, Past: f.Past, Busy: f.Busy, Book: book,
			Seq: memo.Seq + 1, Memo: memo.Bytes, Opting: l.Preempt,
		}, t.Partition)
	})
	var plan *policy.Plan
	t.time(l.Now, "decide", func() {
		plan, t.Err = l.guards[t.Partition.Name].decide(ctx, t.Snapshot, l.Interval/4)
	})
	if t.Err != nil {
		return
	}
	t.time(l.Now, "gate", func() { t.Plan, t.Refused = l.gatePlan(f, t, plan) })
	t.time(l.Now, "diff", func() {
		t.Edits = Diff(Wish{
			Plan: t.Plan, Snapshot: t.Snapshot, View: f.View, Book: book,
			Mode: t.Partition.planAs(), Order: l.Order, Lease: l.Lease, Pin: l.Pin, Lever: l.lever(f.View),
		})
	})
}

// lever returns the field that carries the order on this release.
func (l *Loop) lever(v *slurm.View) slurm.Kind {
	switch l.Order.Lever {
	case LeverSiteFactor:
		return slurm.SiteFactor
	case LeverNice:
		return slurm.Nice
	case LeverPriority:
		return slurm.Priority
	}
	if v.API >= "v0.0.40" {
		return slurm.SiteFactor
	}
	return slurm.Priority
}

func (t *Thought) time(now func() time.Time, step string, f func()) {
	from := now()
	f()
	t.Took[step] = now().Sub(from)
}

// cycle returns the record of the thought.
func (t *Thought) cycle(epoch int64) (*Cycle, error) {
	snapshot, err := json.Marshal(t.Snapshot)
	if err != nil {
		return nil, fmt.Errorf("writing the snapshot of partition %s: %w", t.Partition.Name, err)
	}
	sum := sha256.Sum256(snapshot)
	took := map[string]string{}
	for step, d := range t.Took {
		took[step] = d.String()
	}
	return &Cycle{
		Cluster: t.Snapshot.Cluster, Seq: t.Snapshot.Seq, Epoch: epoch, At: t.Snapshot.Now,
		Partition: t.Partition.Name, Mode: t.Partition.Mode, Policy: t.Partition.Policy, Params: t.Partition.Params,
		Snapshot: snapshot, Digest: hex.EncodeToString(sum[:]), Plan: t.Plan, Refused: t.Refused,
		Pushed: len(t.Edits), Took: took,
	}, nil
}
