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
	requeueRow = Row{
		Kind: slurm.Requeue, Field: runField, Needs: bridge.Preempt, Turn: TurnStop, Momentary: true, Stops: StopsNow,
		Shows: func(in *bridge.Intent, j *slurm.Job) bool {
			was := &in.Edit.Run
			return j.Restarts > was.Restarts || was.SLUID != "" && j.SLUID != "" && j.SLUID != was.SLUID
		},
		Wants: wantRequeues,
	}
	warnRow = Row{
		Kind: slurm.Warn, Field: warnedField, Needs: bridge.Preempt, Turn: TurnStop, Momentary: true, Stops: StopsLater,
		Shows: func(in *bridge.Intent, _ *slurm.Job) bool { return in.State == bridge.Acked }, // no record shows it
		Wants: wantWarnings,
	}
)

var (
	runField    = &Field{Name: slurm.FieldRun}
	warnedField = &Field{Name: slurm.FieldWarned}
)

// wantRequeues stops the jobs the plan stops. A move is a stop whose start comes
// in a later cycle.
func wantRequeues(g *Goal) []slurm.Edit {
	var edits []slurm.Edit
	for _, dec := range g.Plan.Decisions {
		if dec.Verb != policy.Stop && dec.Verb != policy.Move {
			continue
		}
		if j := g.jobToEdit(dec.Job); j != nil && j.State == "RUNNING" {
			edits = append(edits, g.editOf(j, slurm.Edit{Kind: slurm.Requeue, Array: j.TaskAddress(), Why: dec.Why}))
		}
	}
	return edits
}

// wantWarnings sends the warnings ahead of stops.
func wantWarnings(g *Goal) []slurm.Edit {
	var edits []slurm.Edit
	for _, w := range g.Warns {
		if j := g.jobToEdit(policy.JobID(w.Job)); j != nil && j.State == "RUNNING" {
			edits = append(edits, g.editOf(j, slurm.Edit{
				Kind: slurm.Warn, Signal: w.Signal, Value: int64(w.Grace / time.Second), Array: j.TaskAddress(), Why: w.Why,
			}))
		}
	}
	return edits
}
