package bridge

import (
	"context"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// HandBacker is a Cluster whose hand-backs take two calls: one that holds the
// job, one that releases it. A process that dies between them leaves a hold that
// only the ledger knows to be ours.
type HandBacker interface {
	// HandBack carries out a hand-back; held is called between the two calls,
	// when the hold was accepted.
	HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error
	// FinishHandBacks does the second half of hand-backs that a process began
	// and did not live to finish: it releases their jobs.
	FinishHandBacks(ctx context.Context, begun []slurm.Edit) error
}

// ExpirerStatus says when what ends the leavings of a dead daemon last ran.
type ExpirerStatus interface {
	// TimeSinceExpirerRan returns how long ago that was; ok is false when it never was.
	TimeSinceExpirerRan(ctx context.Context, cluster string) (ago time.Duration, ok bool, err error)
}

// SimulatedExpirer is the ExpirerStatus of simulations, in which no daemon is killed:
// it always ran this moment.
type SimulatedExpirer struct{}

// TimeSinceExpirerRan says that it ran this moment.
func (SimulatedExpirer) TimeSinceExpirerRan(context.Context, string) (time.Duration, bool, error) {
	return 0, true, nil
}

// LeaderWatch is where an Expirer leaves its sign and learns whether a daemon leads.
type LeaderWatch interface {
	// NoteExpirerRun notes that the Expirer runs, and returns who leads, "" for no daemon,
	// and how long no daemon has led.
	NoteExpirerRun(ctx context.Context, cluster string) (leader string, alone time.Duration, err error)
}

// Probes are the GPU measurements of the nodes.
type Probes interface {
	// Sample returns the devices of every GPU node of the view that answered, with their
	// measured use. The error joins the nodes that did not; what did answer
	// is returned all the same.
	Sample(context.Context, *slurm.View) (map[string][]policy.NodeDevices, error)
}

// NoProbes are the Probes where there are none: nothing is measured.
type NoProbes struct{}

// Sample returns nothing.
func (NoProbes) Sample(context.Context, *slurm.View) (map[string][]policy.NodeDevices, error) {
	return nil, nil
}

// Cluster is Slurm, or a simulation of it.
type Cluster interface {
	// Observe reads jobs, nodes and partitions. It returns an error rather
	// than anything partial.
	Observe(context.Context) (*slurm.View, error)
	// RereadJob reads one job afresh: just before it is changed, or because a list
	// leaves it out. A *slurm.Error of class ErrorJobGone is Slurm's word that it does
	// not know the job.
	RereadJob(ctx context.Context, job int64) (slurm.Job, error)
	// HasNode asks about one node that a list leaves out. False is Slurm's word
	// that it does not know the node.
	HasNode(ctx context.Context, name string) (bool, error)
	// ApplyEdit carries out one edit. A nil error means Slurm said yes, not that
	// it happened. Errors are *slurm.Error.
	ApplyEdit(context.Context, slurm.Edit) error
}

// RightsReader is a Cluster that can tell which rights we have. PrivateData shows who is no Operator the own jobs only,
// and says of all others what it says of jobs that are gone.
type RightsReader interface {
	// ReadRights returns who we are and the administrator level that slurmdbd gives us: None, Operator or
	// Administrator; "" where it cannot be told, as the error says.
	ReadRights(context.Context) (user, level string, err error)
}

// Journal is the write-ahead ledger and the record of cycles.
type Journal interface {
	// StoreIntents stores the cycle and its intents as PLANNED in one transaction,
	// provided the epoch is still the leader's, and returns them with their
	// ids. On error nothing is stored and nothing may be pushed. A nil cycle
	// stores the intents alone: a release has no cycle. The same cycle again
	// gets the same ids; another under its number, or a second open intent for
	// a field of a job, is ErrConflict, a stale epoch ErrFenced.
	StoreIntents(context.Context, *Cycle, []Intent) ([]Intent, error)
	// UpdateIntent stores an intent's new State, times, Error and Polls, and its Before
	// while it is open: that was read right before it was sent. SENT is the
	// leave to send: ErrFenced once another daemon leads. No intent goes back to
	// an earlier state, but for one without an answer that is sent again:
	// ErrClosedIntent.
	UpdateIntent(context.Context, Intent) error
	// Intents returns every intent of the cluster that is open, or whose
	// effect is live at now, or that was closed after since, by ID.
	Intents(ctx context.Context, cluster string, now, since time.Time) ([]Intent, error)
}

// Leadership makes sure one daemon at a time writes, by a leased row with an
// epoch.
type Leadership interface {
	// Lead takes or renews the lease; leader is false when another holds it,
	// whose name is in holder.
	Lead(ctx context.Context, cluster, me string, ttl time.Duration) (epoch int64, holder string, leader bool, err error)
	// Resign gives the lease back, if it is ours.
	Resign(ctx context.Context, cluster, me string) error
}

// History is what is known of the past.
type History interface {
	// Clock returns the time by the clock of the store.
	Clock(context.Context) (time.Time, error)
	// RecordView stores what a view shows of runs, idempotently. The view is one
	// that was judged and believed. One older than the last is ErrOlderView, unless
	// the last is dated so much later that its clock was wrong.
	RecordView(context.Context, *slurm.View) error
	// Past returns usage and per-job history as of now.
	Past(ctx context.Context, cluster string, now time.Time) (*Past, error)
	// Memo returns what the partition's policy, with its parameters, left in the last stored cycle
	// that it decided, and the number of the last one; the zero Memo when there is none.
	Memo(ctx context.Context, cluster string, p *Partition) (Memo, error)
}

// JobUse is what probes saw of one job on all of its nodes.
type JobUse struct {
	MeanBusy policy.OptionalValue // mean utilisation of its GPUs, those it leaves alone included; unknown when one is not known or shared
	Progress policy.OptionalValue // done share of its work, by its own report
	Training *policy.Training     // its work in steps and its speed, by its own report; nil: not told
	Speed    *SeenSpeed           // its speed on what it holds, by its own report; nil: not told, or it holds several types or shares one
	Batch    *policy.BatchRange   // the batch sizes it may use, by its own report; nil: not told
	Loss     *policy.LossPoint    // its newest training loss, by its own report; nil: not told
	Requests *RequestCount        // requests it answered in this run, by its newest report; nil: not told
	OnGPUs   []DeviceUse          // what it does on each of its GPUs, as far as probes see them
	IdleFor  time.Duration        // for how long every GPU it holds was measured to do no work, up to now; 0: for no time, or not known
	Shared   []NeighbourLook      // looks since it has the neighbours it has now, oldest first, bounded; nil: it has none
}

// JobUseProbes are probes that also tell what single jobs do.
type JobUseProbes interface {
	// UseByJob returns what the last Sample showed of running jobs, by Slurm's
	// id. A job that is absent is unknown.
	UseByJob() map[int64]JobUse
}
