package cycle

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// Result says in a word how a cycle ended.
type Result string

// The results.
const (
	ResultPushed   Result = "pushed"   // edits were sent
	ResultNothing  Result = "nothing"  // nothing needed to be changed
	ResultObserved Result = "observed" // edits were wanted; the mode, warming up or a breaker kept them back
	ResultStandby  Result = "standby"  // another daemon leads
	ResultInDoubt  Result = "doubt"    // something failed: nothing more was pushed, or not for some partition
	ResultCutShort Result = "cut"      // the daemon was told to end meanwhile
)

// Report is what one cycle did.
type Report struct {
	Result           Result
	Epoch            int64
	LeaderName       string // who leads, when standing by
	Doubts           []bridge.Doubt
	Warnings         []bridge.Doubt // failures that pushing goes on without
	View             *slurm.View    // what Slurm showed, if it is believed; nil: nothing is
	PartitionResults []PartitionResult
	Intents          []bridge.Intent
	Duration         time.Duration
	endedBy          bridge.Cause // the doubt with which the cycle ended before its end; "": it came to it
}

// causesInOrder are the causes of which each is looked at before the next, and all before any other.
var causesInOrder = []bridge.Cause{bridge.CauseLeaderUnknown, bridge.CauseFailedPoll, bridge.CauseUnbelievedView}

// wasLookedAt reports whether the cycle came so far that it would have told the cause, if it still held.
func (r *Report) wasLookedAt(cause bridge.Cause) bool {
	at, end := slices.Index(causesInOrder, cause), slices.Index(causesInOrder, r.endedBy)
	return r.endedBy == "" || at >= 0 && (end < 0 || at < end)
}

// addDoubt notes why nothing more is pushed.
func (r *Report) addDoubt(cause bridge.Cause, err error) {
	r.addDoubts([]bridge.Doubt{{Cause: cause, Err: err}})
}

func (r *Report) addDoubts(doubts []bridge.Doubt) {
	if len(doubts) > 0 {
		r.Result = ResultInDoubt
	}
	r.Doubts = append(r.Doubts, doubts...)
}

// addPlanDoubts notes what is doubtful about the plans.
func (r *Report) addPlanDoubts() {
	for i := range r.PartitionResults {
		e := &r.PartitionResults[i]
		if e.Err != nil {
			r.addDoubt(bridge.CausePolicy, fmt.Errorf("partition %s: %w", e.Partition.Name, e.Err))
		}
		if e.StopPauseReason != "" {
			r.addWarning(bridge.StopPauseCause(e.Partition.Name), errors.New(e.StopPauseReason))
		}
		for _, d := range e.Doubts {
			r.addDoubt(bridge.GateCause(d.Invariant), fmt.Errorf("partition %s: %s", e.Partition.Name, d.Why))
		}
	}
}

// addWarning notes a failure that pushing goes on without.
func (r *Report) addWarning(cause bridge.Cause, err error) {
	r.Warnings = append(r.Warnings, bridge.Doubt{Cause: cause, Err: err})
}

// markCutShort says that the cycle did not come to its end because the daemon does. What
// failed in it failed for that reason.
func (r *Report) markCutShort() {
	if len(r.Doubts) > 0 {
		r.Result, r.Doubts = ResultCutShort, nil
	}
}

// logChanges logs what changed since the cycle before: each doubt once when it arises
// and once when it is seen to be over, and every cycle that pushed something.
func logChanges(log *slog.Logger, before LoggedState, r *Report) LoggedState {
	if len(r.Intents) > 0 {
		defer log.Info("pushed", "edits", formatIntentCounts(r.Intents), "took", r.Duration.Round(time.Millisecond))
	}
	if r.Result == ResultCutShort {
		log.Info("the last cycle was cut short")
		return before
	}
	if len(r.PartitionResults) > 0 && !before.HasDecided {
		log.Info("first cycle decided", "result", r.Result, "jobs", r.jobCount(), "edits_wanted", r.wantedEditCount(), "took", r.Duration.Round(time.Millisecond))
	}
	now := LoggedState{ActiveCauses: map[bridge.Cause]bool{}, Result: r.Result, HasDecided: before.HasDecided || len(r.PartitionResults) > 0}
	for _, d := range r.Doubts {
		now.ActiveCauses[d.Cause] = true
		if !before.ActiveCauses[d.Cause] {
			log.Error("in doubt: pushing nothing until this is over", "cause", d.Cause, "error", d.Err)
		}
	}
	for _, d := range r.Warnings {
		now.ActiveCauses[d.Cause] = true
		switch {
		case before.ActiveCauses[d.Cause]:
		case d.Cause.IsDemotion():
			log.Error("a partition is in a lower mode than configured: what of ours stands there that it does not allow is given back", "cause", d.Cause, "error", d.Err)
		case d.Cause.IsCandidateDemotion():
			log.Error("a canary's candidate is demoted: it decides on no day", "cause", d.Cause, "error", d.Err)
		default:
			log.Warn("going on without", "cause", d.Cause, "error", d.Err)
		}
	}
	for _, cause := range slices.Sorted(maps.Keys(before.ActiveCauses)) {
		switch {
		case now.ActiveCauses[cause]:
		case !r.wasLookedAt(cause):
			now.ActiveCauses[cause] = true
		default:
			log.Info("it is over", "cause", cause)
		}
	}
	if r.Result == ResultStandby && before.Result != ResultStandby {
		log.Info("standing by: another daemon leads", "leader", r.LeaderName)
	}
	return now
}

// jobCount counts the jobs that were decided about.
func (r *Report) jobCount() (n int) {
	for i := range r.PartitionResults {
		if s := r.PartitionResults[i].Snapshot; s != nil {
			n += len(s.Jobs)
		}
	}
	return n
}

// wantedEditCount counts the edits that follow from the plans, sent or not.
func (r *Report) wantedEditCount() (n int) {
	for i := range r.PartitionResults {
		n += len(r.PartitionResults[i].Edits)
	}
	return n
}

// formatIntentCounts counts intents as "lease 3 (1 failed, 1 not sent), requeue 1".
func formatIntentCounts(intents []bridge.Intent) string {
	type count struct{ all, failed, unsent int }
	counts, kinds := map[string]*count{}, []string{}
	for i := range intents {
		k := string(intents[i].Edit.Kind)
		if counts[k] == nil {
			counts[k] = &count{}
			kinds = append(kinds, k)
		}
		counts[k].all++
		switch {
		case intents[i].Sent.IsZero():
			counts[k].unsent++
		case intents[i].State.IsSystemic():
			counts[k].failed++
		}
	}
	parts := make([]string, len(kinds))
	for i, k := range kinds {
		parts[i] = fmt.Sprintf("%s %d", k, counts[k].all)
		switch c := counts[k]; {
		case c.failed > 0 && c.unsent > 0:
			parts[i] += fmt.Sprintf(" (%d failed, %d not sent)", c.failed, c.unsent)
		case c.failed > 0:
			parts[i] += fmt.Sprintf(" (%d failed)", c.failed)
		case c.unsent > 0:
			parts[i] += fmt.Sprintf(" (%d not sent)", c.unsent)
		}
	}
	return strings.Join(parts, ", ")
}
