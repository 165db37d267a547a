package privacy

import (
	"slices"
	"strings"

	"fairbridge/accounting/journal"
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
