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
	Memos   map[string]Memo   // by partition
	Book    *ledger.Book      // of Intents
	Owed    []ledger.Debt     // hand-backs that were cut off and left a job held
	Left    map[string]string // users whose jobs are left alone, and why
	Expires bool              // something outside the daemon takes node lists back
}

// read reads the ledger.
func (f *Facts) read(ctx context.Context, j Journal, cluster string) error {
	intents, err := j.Intents(ctx, cluster, f.View.At, f.View.At.Add(-recent))
	if err != nil {
		return fmt.Errorf("reading the ledger: %w", err)
	}
	f.Intents = intents
	return nil
}

// settle closes the intents whose outcome the view shows, and adds what tasks have
// inherited. It returns those that changed.
func (f *Facts) settle() (changed []ledger.Intent) {
	changed = ledger.Settle(f.Intents, f.View, f.View.At)
	f.Intents = ledger.Replace(f.Intents, changed)
	f.inherit()
	f.Owed = ledger.Debts(f.Intents, f.View)
	f.Book = ledger.NewBook(f.Intents)
	return changed
}

// open counts the intents whose outcome is still to be seen, those included
// whose job is absent without a proof that it is gone.
func (f *Facts) open() int {
	n := 0
	for i := range f.Intents {
		in := &f.Intents[i]
		id := in.Edit.Run.Job
		if in.State.Open() || in.State == ledger.Observed && f.View.Job(id) == nil && !f.View.ProvenGone(id) {
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

// Memo is what the policy of a partition remembered in the last stored cycle,
// and the number of that cycle.
type Memo struct {
	Bytes          []byte
	Policy, Params string // whose memory it is
	Seq            uint64
}

// of returns the memo as far as it is the partition's policy's own: a policy
// that was changed, or set otherwise, begins without memory, since it cannot
// read another's.
func (m Memo) of(p *Partition) Memo {
	if m.Policy != p.Policy || m.Params != p.Params {
		m.Bytes = nil
	}
	return m
}

// Thought is what a cycle makes of one partition.
type Thought struct {
	Partition Partition
	Snapshot  *policy.Snapshot
	Own       *policy.Plan     // as the policy made it; nil when it failed
	Plan      *policy.Plan     // as the gate lets it through; nil when the policy failed
	Refused   []gate.Refusal   // what the gate turned down
	Doubts    []gate.Refusal   // why nothing may be sent, whatever the mode
	Stops     []gate.Stop      // the requeues let through, with their cost
	Warns     []gate.Warn      // the warnings ahead of requeues let through
	Stuck     map[int64]string // jobs that did not start although that was decided, and what that means
	Pause     string           // why no job of the partition is stopped for now; "": somebody may be
	Edits     []slurm.Edit     // what should change in Slurm
	Send      bool             // the edits are to be sent: the mode pushes, and nothing is in doubt
	Err       error            // why there is no plan
	Took      map[string]time.Duration
}

// think decides for every partition. Nothing in it reads or changes the world.
func (l *Loop) think(ctx context.Context, f *Facts, calm bool) []Thought {
	k := newLook(l, f, calm)
	var thoughts []Thought
	for _, p := range l.Partitions {
		if p.Mode == gate.Off {
			continue
		}
		t := Thought{Partition: p, Took: map[string]time.Duration{}}
		l.thinkOf(ctx, k, &t)
		thoughts = append(thoughts, t)
	}
	return thoughts
}

// decideTime is how long a policy may take; 0: as long as it likes.
func (l *Loop) decideTime() time.Duration {
	if l.Bare {
		return 0
	}
	return l.Interval / 4
}

// thinkOf decides for one partition. The policy gets a snapshot of its own:
// the gate judges by one that no policy could write to.
func (l *Loop) thinkOf(ctx context.Context, k *look, t *Thought) {
	var own *policy.Snapshot
	name := t.Partition.Name
	l.starts[name], t.Stuck = l.starts[name].seen(k.View, l.Interval)
	t.time(l.Now, "assemble", func() {
		t.Snapshot = k.assemble(t.Partition, t.Stuck)
		if own = t.Snapshot; !l.Bare {
			own = k.assemble(t.Partition, t.Stuck)
		}
	})
	var plan *policy.Plan
	t.time(l.Now, "decide", func() {
		plan, t.Err = l.guards[name].decide(ctx, own, l.decideTime())
	})
	if t.Err != nil {
		return
	}
	t.Own = plan
	t.time(l.Now, "gate", func() { k.plan(t, plan) })
	var edits []slurm.Edit
	t.time(l.Now, "diff", func() {
		edits = Diff(Wish{
			Plan: t.Plan, Snapshot: t.Snapshot, View: k.View, Book: k.Book,
			Mode: t.Partition.planAs(), Order: l.Order, Lease: l.Lease, Pin: l.Pin && k.Expires, Warns: t.Warns,
			Lever: l.lever(k.View), Old: l.Gate.MaxPending,
		})
	})
	t.time(l.Now, "gate edits", func() { k.edits(t, edits) })
	l.starts[name] = l.starts[name].next(t, k.View)
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
	if v.SiteFactor {
		return slurm.SiteFactor
	}
	return slurm.Nice
}

func (t *Thought) time(now func() time.Time, step string, f func()) {
	from := now()
	f()
	t.Took[step] = now().Sub(from)
}

// cycle returns the record of the thought, unsigned.
func (t *Thought) cycle(epoch int64) *Cycle {
	took := map[string]string{}
	for step, d := range t.Took {
		took[step] = d.String()
	}
	return &Cycle{
		Cluster: t.Snapshot.Cluster, Seq: t.Snapshot.Seq, Epoch: epoch, At: t.Snapshot.Now,
		Partition: t.Partition.Name, Mode: t.Partition.Mode, Policy: t.Partition.Policy, Params: t.Partition.Params,
		Plan: t.Plan, Refused: t.Refused, Took: took,
	}
}

// sign adds what it takes to decide the cycle again, and to know whether that
// came out the same.
func sign(c *Cycle, t *Thought) error {
	var err error
	if c.Snapshot, err = json.Marshal(t.Snapshot); err != nil {
		return fmt.Errorf("writing the snapshot of partition %s: %w", t.Partition.Name, err)
	}
	own, err := json.Marshal(t.Own)
	if err != nil {
		return fmt.Errorf("writing the plan of partition %s: %w", t.Partition.Name, err)
	}
	c.Digest, c.Own = digest(c.Snapshot), digest(own)
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
