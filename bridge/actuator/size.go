package actuator

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// setGPUs changes the GPU count of an elastic job that waits. No plan asks for it
// yet.
var setGPUs = Row{Kind: slurm.SetGPUs, Field: gpus, Needs: bridge.Steer, Turn: TurnRest}

var gpus = &Field{
	Name: slurm.FieldGPUs,
	Note: func(b *bridge.Before, in *bridge.Intent, _ int64) {
		if in != nil {
			b.Ours = in.Edit.Value
		}
	},
	Outlives: ForLong,
}
