package bridge

import (
	"strings"

	"fairbridge/bridge/invariant"
)

// Cause is what a doubt or a warning is about, in a word: the label of metrics
// and logs.
type Cause string

// The causes. Of CauseGate there is one for each invariant, of CauseStopPause, CauseDemoted and
// CauseDemotedCandidate one for each partition.
const (
	CauseLeaderUnknown      Cause = "leader"    // leadership could not be asked for
	CauseFailedPoll         Cause = "slurm"     // the poll failed, or was of another cluster
	CauseUnnamedCluster     Cause = "cluster"   // Slurm does not say which cluster it is
	CauseUnbelievedView     Cause = "view"      // what Slurm shows is not believed
	CauseHistory            Cause = "history"   // usage could not be recorded or read, or is older than it was
	CauseJournal            Cause = "journal"   // the ledger could not be read or written
	CauseUnfinishedHandBack Cause = "hand_back" // a hand-back of ours is not finished
	CausePolicy             Cause = "policy"    // a policy failed
	CauseGate               Cause = "gate"      // the gate turned a whole plan down
	CauseNoEffect           Cause = "effect"    // edits that Slurm said yes to had no effect
	CauseForeignChanges     Cause = "foreign"   // people change what we changed
	CauseRewrites           Cause = "rewrites"  // jobs lose values of their owners by our edits
	CauseStopFile           Cause = "stop"      // the STOP file exists, or an operator stopped us
	CausePushEndedEarly     Cause = "push"      // a push ended early

	CauseStalePartitions    Cause = "partitions"   // a warning: an old answer about partitions is used
	CauseUnreadReservations Cause = "reservations" // a warning: they could not be read
	CauseProbes             Cause = "probes"       // a warning: measurements are missing
	CauseNoExpiryTimer      Cause = "expiry"       // a warning: nothing outside the daemon takes node lists back
	CauseStopPause          Cause = "stops"        // a warning: no job of a partition is stopped for now
	CauseOtherOrder         Cause = "other_order"  // a warning: something else changes priorities too
	CauseTelling            Cause = "telling"      // a warning: jobs are not told why they wait
	CauseDemoted            Cause = "demoted"      // a warning: a partition is demoted to mode observe
	CauseDemotedCandidate   Cause = "canary"       // a warning: the candidate of a partition's canary is demoted
	CauseDemotions          Cause = "demotions"    // which partitions are demoted is not known; a warning where it was before
	CauseOperatorActions    Cause = "operators"    // what operators did is not known; a warning where it was before
)

// DoubtCauses are those that keep us from pushing, but for those of the gate, of which there is
// one for each invariant.
var DoubtCauses = []Cause{
	CauseLeaderUnknown, CauseFailedPoll, CauseUnnamedCluster, CauseUnbelievedView, CauseHistory, CauseJournal, CauseUnfinishedHandBack,
	CausePolicy, CauseNoEffect, CauseForeignChanges, CauseRewrites, CauseStopFile, CausePushEndedEarly, CauseDemotions, CauseOperatorActions,
}

// GateCause returns the cause of a plan that is turned down for the invariant.
func GateCause(id invariant.ID) Cause { return CauseGate + " " + Cause(id) }

// StopPauseCause returns the cause of the warning that no job of the partition is
// stopped for now.
func StopPauseCause(partition string) Cause { return CauseStopPause + " " + Cause(partition) }

// DemotionCause returns the cause of the warning that a partition is demoted.
func DemotionCause(partition string) Cause { return CauseDemoted + " " + Cause(partition) }

// IsDemotion reports whether the cause is that a partition is demoted.
func (c Cause) IsDemotion() bool { return strings.HasPrefix(string(c), string(CauseDemoted)+" ") }

// CandidateDemotionCause returns the cause of the warning that the candidate of the partition's
// canary is demoted.
func CandidateDemotionCause(partition string) Cause {
	return CauseDemotedCandidate + " " + Cause(partition)
}

// IsCandidateDemotion reports whether the cause is that the candidate of a canary is demoted.
func (c Cause) IsCandidateDemotion() bool {
	return strings.HasPrefix(string(c), string(CauseDemotedCandidate)+" ")
}

// GateInvariant returns the invariant for which a plan was turned down; ok is false for
// every other cause.
func (c Cause) GateInvariant() (id invariant.ID, ok bool) {
	s, ok := strings.CutPrefix(string(c), string(CauseGate)+" ")
	return invariant.ID(s), ok
}

// Doubt is a reason to push nothing, or a warning that something is done without.
type Doubt struct {
	Cause Cause
	Err   error // the whole story
}
