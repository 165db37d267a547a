package actuator

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// A requeue stops a job and puts it back into the queue; a warning lets its script
// know ahead. Neither leaves a value.
var (
	requeue = Row{
		Kind: slurm.Requeue, Field: run, Needs: bridge.Preempt, Turn: TurnStop, Momentary: true,
		Shows: func(in *bridge.Intent, j *slurm.Job) bool {
			was := &in.Edit.Run
			return j.Restarts > was.Restarts || was.SLUID != "" && j.SLUID != "" && j.SLUID != was.SLUID
		},
	}
	warn = Row{
		Kind: slurm.Warn, Field: warned, Needs: bridge.Preempt, Turn: TurnStop, Momentary: true,
		Shows: func(in *bridge.Intent, _ *slurm.Job) bool { return in.State == bridge.Acked }, // no record shows it
	}
)

var (
	run    = &Field{Name: slurm.FieldRun}
	warned = &Field{Name: slurm.FieldWarned}
)
