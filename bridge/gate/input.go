package gate

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// CommonInput is what both looks of the gate rely on. Everything is a value; nothing
// is changed. The view is one that was judged (package judge) and believed.
type CommonInput struct {
	Budgets       bridge.Budgets
	CycleInterval time.Duration // between cycles
	Now           time.Time     // our clock, now
	PolledAt      time.Time     // our clock when the view came in
	// Partition is the one the plan is for; ModeByPartition has the configured modes of
	// all managed partitions. A job that may start in several gets the weakest
	// of their modes (a partition not listed is ModeOff) and is the business of the
	// first managed one in its list.
	Partition       string
	ModeByPartition map[string]bridge.Mode
	// Snapshot is what the policy was shown; hand over one it could not write
	// to. View is the poll it was made from.
	Snapshot *policy.Snapshot
	View     *slurm.View
	// HasExpiryTimer says that something outside the daemon takes node lists back if
	// the daemon dies.
	HasExpiryTimer bool
	// LeadershipLeft is how long our leadership lasts from Now, on the monotonic
	// clock; unused where the mode pushes nothing.
	LeadershipLeft time.Duration
	// RecentStops are the stops of the last 24 hours in all partitions, those that
	// earlier partitions of this cycle got included (PlanOutput.Stops). Their
	// order does not matter.
	RecentStops []bridge.Stop
	// RecentWarnings are those of the last 24 hours, whatever came of them. NoticeByJob
	// holds what running jobs, by id, are to be warned by; no entry: they are
	// stopped without.
	RecentWarnings []SentWarning
	NoticeByJob    map[int64]bridge.Notice
	// RequeueTimesByJob holds the times of all our requeues of a job, as far as history
	// reaches; LeasedTimeByJob how long it was leased altogether, current leases up to
	// now included.
	RequeueTimesByJob map[int64][]time.Time
	LeasedTimeByJob   map[int64]time.Duration
	// LeftAloneReasonByUser says of users whose jobs are left alone why.
	LeftAloneReasonByUser map[string]string
	// LeftAloneByJob has the jobs, by id, that an operator's action leaves alone.
	LeftAloneByJob map[int64]*bridge.OperatorAction
	Separations    []bridge.Separation // what was measured of jobs of the snapshot that share GPUs
	// IdleStop is the stop that was added to the policy's plan because GPUs do no work; nil: none was. UseByJob is what
	// probes saw of jobs, and StopIdleAfter what the partition says of such stops.
	IdleStop      *bridge.IdleStop
	UseByJob      map[int64]bridge.JobUse
	StopIdleAfter time.Duration
}

// PlanInput is what FilterPlan looks at.
type PlanInput struct {
	CommonInput
	Plan           *policy.Plan // as the policy returned it
	LastPolicyPlan *policy.Plan // the policy's plan of the cycle before, gated or not; nil: none known
	LastSentPlan   *policy.Plan // PlanOutput.Plan of the last cycle that pushed; nil: none known
}

// PlanOutput is what FilterPlan lets through.
type PlanOutput struct {
	// Plan has one decision per job of the snapshot, as the policy's or
	// harmless. Never nil when there is a snapshot.
	Plan *policy.Plan
	// Doubts are the reasons for which nothing of the plan may be sent, Refused
	// the single decisions turned down; sorted by job, then invariant.
	Doubts   []bridge.Refusal
	Refusals []bridge.Refusal
	// Stops are the stops let through; hand them to FilterEdits as AllowedStops, and
	// record those whose requeue came through there.
	Stops []bridge.Stop
	// Warnings are the warnings to be sent ahead of stops; hand them to FilterEdits.
	Warnings []bridge.PlannedWarning
	// NeedsFullRead says that stops may be but for the view, which is no whole list.
	NeedsFullRead bool
	// StopPauseReason says why no job of the partition may be stopped for now (I22); "" when
	// one may.
	StopPauseReason string
}

// EditInput is what FilterEdits looks at. RecentStops must not contain the stops the edits
// are about to make.
type EditInput struct {
	CommonInput
	Mode                bridge.Mode                  // of the edits: the partition's, or the one it plans for
	Edits               []slurm.Edit                 // as Diff returned them
	IntentBook          *ledger.IntentBook           // of all open and standing intents
	AllowedStops        []bridge.Stop                // PlanOutput.Stops; a requeue needs its own
	AllowedWarnings     []bridge.PlannedWarning      // PlanOutput.Warnings; a warning needs its own
	RequeuedRuns        []slurm.Run                  // runs with a requeue intent of any state but VOID
	LastSentByField     map[slurm.JobField]time.Time // when a field of a job was last sent something, Slurm's or our clock; those sent within EditCooldown at least
	EditsSpentElsewhere int                          // of the edit budget, by edits other partitions got this cycle
	ToldElsewhere       int                          // edits that only tell, which other partitions got this cycle
	EditsElsewhere      []slurm.Edit                 // those that other partitions got this cycle
}
