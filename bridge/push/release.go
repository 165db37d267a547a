package push

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/missing"
	"fairbridge/bridge/slurm"
)

// Releaser gives back everything of ours that stands in Slurm. It knows no
// policy and no gate: it can only undo, by value, what the ledger says is
// ours.
type Releaser struct {
	Ports
	Leadership  bridge.Leadership
	ClusterName string        // the cluster
	HolderName  string        // its own name in the leader row
	TTL         time.Duration // length of its leadership, which is renewed at half life; 0: a minute or two
	Epoch       int64         // of the leadership it acts under; Lead sets it

	// ShouldGiveBack says which values are given back; nil: all. The intent is the one
	// whose value stands, nil where the ledger has no such row any more.
	ShouldGiveBack func(slurm.Edit, *bridge.Intent) bool
	// MaxIdleTime is how long it goes on without anything coming of it, for
	// example while outcomes are unknown. 0: five minutes, one more than an
	// unknown outcome takes to be given up. Below 0: it does not wait for
	// outcomes.
	MaxIdleTime time.Duration
	// Wait lets time pass between two looks; nil: real time.
	Wait func(context.Context, time.Duration) error
	// ReportProgress is called after every edit that was sent, with how many were and
	// how many are left; nil: it is not told.
	ReportProgress func(sent, left int)

	leaderLease LeaderLease
}

// ReleaseResult is what a release did, or would do.
type ReleaseResult struct {
	Edits           []slurm.Edit                `json:"edits"`              // what gives the fields back
	Intents         []bridge.Intent             `json:"intents,omitempty"`  // what came of them; nil on a dry run
	Kept            []slurm.Edit                `json:"kept,omitempty"`     // of jobs that run or that a person holds: they can be given back when the job waits again
	Holds           []ledger.UnfinishedHandBack `json:"holds,omitempty"`    // jobs that a hand-back of ours may have left held
	UnprovenTops    []int64                     `json:"unproven,omitempty"` // see ledger.UnprovenTops
	OpenIntentCount int                         `json:"open"`               // intents whose outcome is not known yet: release again after settling
}

// Lead takes leadership. leads is false when another daemon leads, whose name is
// in holder.
func (r *Releaser) Lead(ctx context.Context) (holder string, leads bool, err error) {
	r.leaderLease = LeaderLease{ClusterName: r.ClusterName, HolderName: r.HolderName, TTL: r.TTL, Now: r.Now}
	if r.leaderLease.TTL <= 0 {
		r.leaderLease.TTL = 2 * callTimeout // half of it outlasts one call
	}
	holder, leads, err = r.leaderLease.Acquire(ctx, r.Leadership)
	r.Epoch = r.leaderLease.Epoch
	if err != nil {
		r.leaderLease.TTL = 0 // see checkMayCall
	}
	return holder, leads, err
}

// Resign gives leadership back.
func (r *Releaser) Resign(ctx context.Context) error {
	return r.leaderLease.Resign(ctx, r.Leadership)
}

// checkMayCall looks, before every call, whether going on is allowed, and renews
// leadership. Without a database there is none: the local journal's lock keeps
// others out.
func (r *Releaser) checkMayCall(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrPushHalted, err)
	}
	if r.leaderLease.TTL <= 0 {
		return nil
	}
	if err := r.leaderLease.Renew(ctx, r.Leadership); err != nil {
		return fmt.Errorf("%w: %w", ErrPushHalted, err)
	}
	return nil
}

// FindReleasable reads Slurm and the ledger and returns what there is to give back. It
// changes nothing.
func (r *Releaser) FindReleasable(ctx context.Context) (*ReleaseResult, error) {
	f, err := r.readFindings(ctx)
	if err != nil {
		return nil, err
	}
	return &f.ReleaseResult, nil
}

// releaseFindings is what there is to give back, and what that was seen from.
type releaseFindings struct {
	ReleaseResult
	view             *slurm.View
	intents          []bridge.Intent    // as the view leaves them
	unwrittenIntents []bridge.Intent    // of which these are not written down yet
	intentBook       *ledger.IntentBook // of the intents
}

// readFindings reads Slurm and the ledger and says what there is to give back.
func (r *Releaser) readFindings(ctx context.Context) (*releaseFindings, error) {
	v, err := r.observeCluster(ctx)
	if err != nil {
		return nil, err
	}
	intents, err := ReadRecentIntents(ctx, r.Journal, r.ClusterName, v.At)
	if err != nil {
		return nil, err
	}
	rereadAbsentJobs(ctx, r.Cluster, v, intents)
	f := &releaseFindings{view: v}
	f.intents, f.unwrittenIntents = ReconcileIntents(intents, v)
	f.intentBook = ledger.NewIntentBook(f.intents)
	f.ReleaseResult = ReleaseResult{
		Edits: r.editsToSend(f), Kept: ledger.BlockedUndoEdits(f.intents, v, v.At),
		Holds: ledger.UnfinishedHandBacks(f.intents, v), UnprovenTops: ledger.UnprovenTops(f.intents, v),
		OpenIntentCount: ledger.CountUnsettledIntents(f.intents, v),
	}
	return f, nil
}

// observeCluster polls Slurm and makes sure that it is the right cluster. Of its clock and ours the view has the one
// that is behind: by it no lease is taken to be over that still stands.
func (r *Releaser) observeCluster(ctx context.Context) (*slurm.View, error) {
	v, err := r.Cluster.Observe(ctx)
	if err != nil {
		return nil, fmt.Errorf("polling Slurm: %w", err)
	}
	if !v.ReadAt.IsZero() && v.ReadAt.Before(v.At) {
		v.At = v.ReadAt
	}
	return v, v.CheckCluster(r.ClusterName)
}

// rereadAbsentJobs asks about the jobs in which something of ours may stand and that the
// list leaves out. Those that are there join the view: a list that is filtered
// or cut must not keep us from giving back.
func rereadAbsentJobs(ctx context.Context, c bridge.Cluster, v *slurm.View, intents []bridge.Intent) {
	q := missing.NewLookups(c)
	q.DropUnproven(ctx, v)
	q.LookUpJobs(ctx, ledger.AbsentJobIDs(intents, v))
	v.AddGoneJobs(q.GoneJobs()...)
	v.AddJobs(q.FoundJobs...)
}

// editsToSend are the edits that give back what is to be.
func (r *Releaser) editsToSend(f *releaseFindings) []slurm.Edit {
	edits := ledger.UndoEdits(f.intents, f.view, f.view.At)
	if r.ShouldGiveBack == nil {
		return edits
	}
	var out []slurm.Edit
	for _, e := range edits {
		if r.ShouldGiveBack(e, f.intentBook.StandingIntent(e.Run, e.Kind.Field(), f.view.At)) {
			out = append(out, e)
		}
	}
	return out
}

// readAndStoreFindings is readFindings, and writes down what it found of intents.
func (r *Releaser) readAndStoreFindings(ctx context.Context) (*releaseFindings, error) {
	f, err := r.readFindings(ctx)
	if err != nil {
		return nil, err
	}
	if err := UpdateChangedIntents(ctx, r.Journal, f.unwrittenIntents, r.checkMayCall, nil); err != nil {
		return nil, err
	}
	if f.intents, err = StoreInheritedIntents(ctx, r.Journal, r.Epoch, f.intents); err != nil {
		return nil, err
	}
	f.intentBook = ledger.NewIntentBook(f.intents)
	return f, nil
}
