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
// in a later cycle, and so is another size, which the requeue notes.
func wantedRequeueEdits(g *PartitionGoal) []slurm.Edit {
	var edits []slurm.Edit
	for _, dec := range g.Plan.Decisions {
		if dec.Verb != policy.Stop && dec.Verb != policy.Move && dec.Verb != policy.Resize {
			continue
		}
		if j := g.editableJob(dec.Job); j != nil && j.State == "RUNNING" {
			e := slurm.Edit{Kind: slurm.EditRequeue, Array: j.TaskAddress(), Why: dec.Why}
			if p := g.Snapshot.Job(dec.Job); dec.Verb == policy.Resize || MovesToType(p, &dec) {
				e.Value, e.Text = int64(dec.GPUs), OtherType(p, &dec)
			}
			edits = append(edits, g.editForJob(j, e))
		}
	}
	return edits
}

// MovesToType reports whether the decision moves the running job to another type of GPU than it runs on.
func MovesToType(p *policy.Job, d *policy.Decision) bool {
	has, gets := p.On.FirstType(), d.On.FirstType()
	return d.Verb == policy.Move && p.Ask.GPUs.Type != "" && has != "" && gets != "" && has != gets
}

// OtherType returns the type of GPU that the decision gives a job that asks for another; "" when it gives it
// the one asked for, or the job takes any.
func OtherType(p *policy.Job, d *policy.Decision) string {
	for _, slot := range d.On {
		if p.Ask.GPUs.Type != "" && slot.Type != p.Ask.GPUs.Type {
			return slot.Type
		}
	}
	return ""
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
