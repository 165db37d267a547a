package actuator

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// A requeue stops a job and puts it back into the queue; a warning lets its script
// know ahead. Neither leaves a value.
var (
	requeueRow = EditKindRow{
		Kind: slurm.EditRequeue, Field: runField, NeededMode: bridge.ModePreempt, SendPhase: PhaseStop, LeavesNoValue: true, StopTiming: StopsNow,
		ShowsEffect: func(in *bridge.Intent, j *slurm.Job) bool {
			was := &in.Edit.Run
			return j.Restarts > was.Restarts || was.SLUID != "" && j.SLUID != "" && j.SLUID != was.SLUID
		},
		WantedEdits: wantedRequeueEdits,
	}
	warnRow = EditKindRow{
		Kind: slurm.EditWarn, Field: warnedField, NeededMode: bridge.ModePreempt, SendPhase: PhaseStop, LeavesNoValue: true, StopTiming: StopsLater,
		ShowsEffect: func(in *bridge.Intent, _ *slurm.Job) bool { return in.State == bridge.IntentAcked }, // no record shows it
		WantedEdits: wantedWarningEdits,
	}
)

var (
	runField    = &FieldRow{Name: slurm.FieldCurrentRun}
	warnedField = &FieldRow{Name: slurm.FieldWarned}
)

// wantedRequeueEdits stops the jobs the plan stops. A move is a stop whose start comes
// in a later cycle.
func wantedRequeueEdits(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	for _, dec := range g.Plan.Decisions {
		if dec.Verb != policy.Stop && dec.Verb != policy.Move {
			continue
		}
		if j := g.editableJob(dec.Job); j != nil && j.State == "RUNNING" {
			edits = append(edits, g.editForJob(j, slurm.Edit{Kind: slurm.EditRequeue, Array: j.TaskAddress(), Why: dec.Why}))
		}
	}
	return edits
}

// wantedWarningEdits sends the warnings ahead of stops.
func wantedWarningEdits(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	for _, w := range g.PlannedWarnings {
		if j := g.editableJob(policy.JobID(w.Job)); j != nil && j.State == "RUNNING" {
			edits = append(edits, g.editForJob(j, slurm.Edit{
				Kind: slurm.EditWarn, Signal: w.Signal, Value: int64(w.Grace / time.Second), Array: j.TaskAddress(), Why: w.Why,
			}))
		}
	}
	return edits
}
