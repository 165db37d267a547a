package privacy

import (
	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge"
)

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
