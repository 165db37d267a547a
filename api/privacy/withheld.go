// Package privacy says which rows one viewer may see, and hides in sentences that policies,
// the gate and the loop wrote what of others they name: jobs, users and accounts. It is pure.
package privacy

import (
	"slices"
	"strings"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge"
)

// What keeps everything from being sent, told without names, hosts and what operators wrote.
const (
	demotedPublicly  = "an operator or the harm guard lowered the mode"
	warmsUpPublicly  = "no changes after the start yet"
	heldBackPublicly = "changes are held back for now; operators see why"
)

// Withheld says why nothing of a plan was sent, by the refusals of the whole plan and by what is in
// doubt: to operators as it is, to others in words of a closed set.
func (r Rule) Withheld(whole []bridge.Refusal, doubts []journal.RecordedDoubt) (reasons []string) {
	for i := range whole {
		why := whole[i].Why
		if !r.Viewer.IsOperator() {
			why = publicWithheld(&whole[i], doubts)
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	return reasons
}

// publicWithheld returns the public words for a refusal of a whole plan. Where its text is nobody's
// that we know, it tells nothing.
func publicWithheld(r *bridge.Refusal, doubts []journal.RecordedDoubt) string {
	for i := range doubts {
		if doubts[i].Why == r.Why {
			return PublicDoubt(doubts[i].Cause)
		}
	}
	switch {
	case r.Invariant != "":
		return PublicDoubt(bridge.GateCause(r.Invariant))
	case strings.HasPrefix(r.Why, "the daemon warms up: "):
		return warmsUpPublicly
	case strings.HasPrefix(r.Why, "stopped by "):
		return PublicDoubt(bridge.CauseStopFile)
	case strings.HasPrefix(r.Why, "partition ") && (strings.Contains(r.Why, " is demoted to mode ") || strings.Contains(r.Why, " is lowered to mode ")):
		return demotedPublicly
	}
	return heldBackPublicly
}

// Demotion returns what lowers a partition without by whom and why, which operators wrote, unless the
// viewer is one.
func (r Rule) Demotion(d bridge.Demotion) bridge.Demotion {
	if !r.Viewer.IsOperator() {
		d.By, d.Why = "", demotedPublicly
	}
	return d
}

// publicDoubts say what is in doubt without names of hosts, jobs and users, which the whole story
// may have.
var publicDoubts = map[bridge.Cause]string{
	bridge.CauseLeaderUnknown:      "it is not known which daemon leads",
	bridge.CauseFailedPoll:         "Slurm could not be read",
	bridge.CauseUnnamedCluster:     "Slurm does not say which cluster it is",
	bridge.CauseUnbelievedView:     "what Slurm shows is not believed yet",
	bridge.CauseHistory:            "the record of usage could not be kept or read",
	bridge.CauseJournal:            "the record of changes could not be kept or read",
	bridge.CauseUnfinishedHandBack: "a change that is being given back is not finished",
	bridge.CausePolicy:             "the policy failed",
	bridge.CauseNoEffect:           "changes that Slurm accepted had no effect",
	bridge.CauseForeignChanges:     "somebody else changes what fairbridge changed",
	bridge.CauseRewrites:           "jobs lost other values when they were changed",
	bridge.CauseStopFile:           "an operator stopped it",
	bridge.CausePushEndedEarly:     "sending changes ended early",
	bridge.CauseDemotions:          "it is not known which partitions are demoted",
	bridge.CauseOperatorActions:    "it is not known what operators did",
}

// PublicDoubt says what a cause is about without names.
func PublicDoubt(cause bridge.Cause) string {
	if text, ok := publicDoubts[cause]; ok {
		return text
	}
	if _, ok := cause.GateInvariant(); ok {
		return "a plan was turned down by its checks"
	}
	return "something is not as it should be; operators see what"
}

// Daemon returns what the viewer may see of who leads and what is in doubt: operators everything,
// others neither names of hosts nor the whole story of a doubt.
func (r Rule) Daemon(s api.DaemonState) api.DaemonState {
	if r.Viewer.IsOperator() {
		return s
	}
	if s.Leader != nil {
		l := *s.Leader
		l.Daemon = ""
		s.Leader = &l
	}
	var doubts []journal.RecordedDoubt
	for _, d := range s.Doubts {
		d.Why, d.Daemon = PublicDoubt(d.Cause), ""
		doubts = append(doubts, d)
	}
	s.Doubts = doubts
	if s.RecordError != "" {
		s.RecordError = "the database cannot be asked now"
	}
	return s
}
