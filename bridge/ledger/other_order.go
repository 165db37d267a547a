package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// Something else may order jobs too: a second fairbridge with a database of its own, a
// script, a plugin. Each job has one that numbers it: who comes second yields.

const (
	// otherOrderSpan is how long ago a number of ours was last replaced for that to tell of
	// something else that orders jobs.
	otherOrderSpan = time.Hour
	// minOtherOrderJobs is how many jobs carry numbers of something else when it is said aloud:
	// one or two may be a person's wish.
	minOtherOrderJobs = 3
	maxNamedJobs      = 5 // of which so many are named
)

// OtherOrderReasonByJob says of waiting jobs that something else orders how that shows: a
// number that we did not write stands in them, or took the place of ours within the last hour.
// The intents are those that the view leaves (SettleIntents).
func OtherOrderReasonByJob(intents []bridge.Intent, v *slurm.View) map[int64]string {
	reasons, foreign := map[int64]string{}, siteFactorByWaitingJob(v)
	for i := range intents {
		in := &intents[i]
		if in.Before.IsTopped { // what replaced ours was a person's scontrol top
			delete(reasons, in.Edit.Run.Job)
		}
		if !actuator.EditKindRowOf(in.Edit.Kind).AddsToPriority {
			continue
		}
		if in.State == bridge.IntentYielded && v.At.Sub(in.Closed) < otherOrderSpan {
			if j := v.Job(in.Edit.Run.Job); j != nil && j.IsPending() && IsSameJob(in.Edit.Run, j.CurrentRun()) {
				reasons[j.ID] = in.Error
			}
		}
		isOurs := in.Edit.Kind.Field() == slurm.FieldSiteFactor && (!in.Sent.IsZero() || in.State == bridge.IntentObserved)
		if factor, ok := foreign[in.Edit.Run.Job]; ok && isOurs && factor == in.Edit.Value {
			delete(foreign, in.Edit.Run.Job)
		}
	}
	for job, factor := range foreign {
		reasons[job] = fmt.Sprintf("its site factor is %d, which fairbridge did not write", factor)
	}
	return reasons
}

// siteFactorByWaitingJob returns the site factors that the view shows in waiting jobs.
func siteFactorByWaitingJob(v *slurm.View) map[int64]int64 {
	factors := map[int64]int64{}
	for i := range v.Jobs {
		if j := &v.Jobs[i]; j.IsSiteFactorKnown && j.SiteFactor != 0 && j.IsPending() {
			factors[j.ID] = j.SiteFactor
		}
	}
	return factors
}

// CheckOtherOrder returns an error when the jobs, with what shows it, are so many that something
// other than a person must order them too.
func CheckOtherOrder(reasonByJob map[int64]string) error {
	if len(reasonByJob) < minOtherOrderJobs {
		return nil
	}
	var jobs []string
	for _, id := range slices.Sorted(maps.Keys(reasonByJob)) {
		if len(jobs) == maxNamedJobs {
			jobs = append(jobs, "…")
			break
		}
		jobs = append(jobs, fmt.Sprintf("job %d: %s", id, reasonByJob[id]))
	}
	return fmt.Errorf("something else changes priorities too: %d waiting jobs carry numbers that are not ours, or did within the last hour, and are left to it (%s). "+
		"A second fairbridge, a script, a site_factor plugin? Let one of them order; fairbridge release gives ours back", len(reasonByJob), strings.Join(jobs, "; "))
}

// RestoredIntents returns an intent without ID for every number of ours that something else had
// replaced and gave back: it stands again exactly as we wrote it. Like what tasks inherit
// (InheritedIntents) it is OBSERVED and was never sent. Only what else orders jobs writes
// back such a number: a person does not know it.
func RestoredIntents(intents []bridge.Intent, v *slurm.View) []bridge.Intent {
	replaced := map[slurm.JobField][]*bridge.Intent{}
	stands := map[slurm.JobField]bool{}
	for i := range intents {
		in := &intents[i]
		switch {
		case !actuator.EditKindRowOf(in.Edit.Kind).AddsToPriority:
		case in.State == bridge.IntentYielded:
			replaced[in.Edit.WrittenField()] = append(replaced[in.Edit.WrittenField()], in)
		case in.State.IsOpen() || in.State == bridge.IntentObserved:
			stands[in.Edit.WrittenField()] = true
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	var out []bridge.Intent
	for i := range v.Jobs {
		for _, f := range priorityOffsetFields {
			j, at := &v.Jobs[i], slurm.JobField{Job: v.Jobs[i].ID, Field: f}
			if stands[at] {
				continue
			}
			for _, in := range slices.Backward(replaced[at]) {
				if wasRestored(in, j) {
					out = append(out, newRestoredIntent(in, j, v.At))
					break
				}
			}
		}
	}
	return out
}

// wasRestored reports whether the number that was replaced stands in the job again.
func wasRestored(in *bridge.Intent, j *slurm.Job) bool {
	return j.IsPending() && j.UntrustedReason == "" && IsSameJob(in.Edit.Run, j.CurrentRun()) && !actuator.LeavesNoValue(in) && actuator.ValueOwnerOf(in, j) == actuator.OwnerUs
}

// newRestoredIntent returns the intent as one whose value stands.
func newRestoredIntent(in *bridge.Intent, j *slurm.Job, now time.Time) bridge.Intent {
	out := newInheritedIntent(in, j, now)
	out.Edit.Tasks, out.Edit.Why = in.Edit.Tasks, "it stands again: what had replaced it was given back"
	return out
}
