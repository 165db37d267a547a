package push

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ask"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// Releaser gives back everything of ours that stands in Slurm. It knows no
// policy and no gate: it can only undo, by value, what the ledger says is
// ours.
type Releaser struct {
	Ports
	Leadership bridge.Leadership
	Name       string        // the cluster
	Holder     string        // its own name in the leader row
	TTL        time.Duration // length of its leadership, which is renewed at half life; 0: a minute or two
	Epoch      int64         // of the leadership it acts under; Lead sets it

	// Only says which values are given back; nil: all. The intent is the one
	// whose value stands, nil where the ledger has no such row any more.
	Only func(slurm.Edit, *bridge.Intent) bool
	// Patience is how long it goes on without anything coming of it, for
	// example while outcomes are unknown. 0: five minutes, one more than an
	// unknown outcome takes to be given up. Below 0: it does not wait for
	// outcomes.
	Patience time.Duration
	// Wait lets time pass between two looks; nil: real time.
	Wait func(context.Context, time.Duration) error
	// Tell is called after every edit that was sent, with how many were and
	// how many are left; nil: nobody is told.
	Tell func(sent, left int)

	leader Leader
}

// Released is what a release did, or would do.
type Released struct {
	Edits   []slurm.Edit    `json:"edits"`             // what gives the fields back
	Intents []bridge.Intent `json:"intents,omitempty"` // what came of them; nil on a dry run
	Kept    []slurm.Edit    `json:"kept,omitempty"`    // of jobs that run or that a person holds: they can be given back when the job waits again
	Holds   []ledger.Debt   `json:"holds,omitempty"`   // jobs that a hand-back of ours may have left held
	Open    int             `json:"open"`              // intents whose outcome is not known yet: release again after settling
}

// Lead takes leadership. held is false when another daemon leads, whose name is
// in holder.
func (r *Releaser) Lead(ctx context.Context) (holder string, held bool, err error) {
	r.leader = Leader{Cluster: r.Name, Name: r.Holder, TTL: r.TTL, Now: r.Now}
	if r.leader.TTL <= 0 {
		r.leader.TTL = 2 * sendTime // half of it outlasts one call
	}
	holder, held, err = r.leader.Acquire(ctx, r.Leadership)
	r.Epoch = r.leader.Epoch
	if err != nil {
		r.leader = Leader{}
	}
	return holder, held, err
}

// Resign gives leadership back.
func (r *Releaser) Resign(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := r.Leadership.Resign(ctx, r.Name, r.Holder); err != nil {
		return fmt.Errorf("giving leadership back (it runs out by itself in %v): %w", r.leader.TTL, err)
	}
	return nil
}

// may looks, before every call, whether going on is allowed, and renews
// leadership. Without a database there is none: the local journal's lock keeps
// others out.
func (r *Releaser) may(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrHalt, err)
	}
	if r.leader.TTL <= 0 {
		return nil
	}
	if err := r.leader.Renew(ctx, r.Leadership); err != nil {
		return fmt.Errorf("%w: %w", ErrHalt, err)
	}
	return nil
}

// Find reads Slurm and the ledger and returns what there is to give back. It
// changes nothing.
func (r *Releaser) Find(ctx context.Context) (*Released, error) {
	out, _, _, err := r.find(ctx)
	return out, err
}

// find also returns the facts, and the intents whose outcome the view shows.
func (r *Releaser) find(ctx context.Context) (*Released, *Facts, []bridge.Intent, error) {
	v, err := r.Cluster.Observe(ctx)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("polling Slurm: %w", err)
	}
	if v.Cluster != "" && v.Cluster != r.Name {
		return nil, nil, nil, fmt.Errorf("slurmrestd speaks for cluster %q, not for %q: correct slurm.url or cluster", v.Cluster, r.Name)
	}
	f := &Facts{View: v}
	if err := f.Read(ctx, r.Journal, r.Name); err != nil {
		return nil, nil, nil, err
	}
	complete(ctx, r.Cluster, f)
	changed := f.Settle()
	out := &Released{Edits: r.wanted(f), Kept: ledger.Stuck(f.Intents, v, v.At), Holds: f.Owed, Open: f.Open()}
	return out, f, changed, nil
}

// complete asks about the jobs in which something of ours may stand and that the
// list leaves out. Those that are there join the view: a list that is filtered
// or cut must not keep us from giving back.
func complete(ctx context.Context, c bridge.Cluster, f *Facts) {
	q := ask.New(c)
	q.AskJobs(ctx, ledger.Absent(f.Intents, f.View))
	f.View.AddGone(q.Gone()...)
	f.View.AddJobs(q.Found...)
}

// wanted are the edits that give back what is to be.
func (r *Releaser) wanted(f *Facts) []slurm.Edit {
	edits := ledger.Undo(f.Intents, f.View, f.View.At)
	if r.Only == nil {
		return edits
	}
	var out []slurm.Edit
	for _, e := range edits {
		if r.Only(e, f.Book.Standing(e.Run, e.Kind.Field(), f.View.At)) {
			out = append(out, e)
		}
	}
	return out
}

// settle is find, and closes what can be closed.
func (r *Releaser) settle(ctx context.Context) (*Released, *Facts, error) {
	out, f, changed, err := r.find(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range changed {
		if err := r.Journal.Mark(ctx, in); err != nil {
			return nil, nil, fmt.Errorf("closing intent %d: %w", in.ID, err)
		}
	}
	if err := f.Keep(ctx, r.Journal, r.Epoch); err != nil {
		return nil, nil, err
	}
	return out, f, nil
}
