package gate

import (
	"slices"

	"fairbridge/bridge/actuator/sharing"
	"fairbridge/bridge/slurm"
)

// sharedStarts returns the jobs that are to start on shards by edits that no record shows yet: of this cycle, in other
// partitions too, and those whose outcome is not known, which may still be carried out.
func (g *editGate) sharedStarts() []sharing.Start {
	out := slices.Clone(g.input.SharedElsewhere)
	for _, e := range g.acceptedEdits {
		if x, ok := sharing.StartOf(e); ok {
			out = append(out, x)
		}
	}
	for i := range g.View.Jobs {
		j := &g.View.Jobs[i]
		if in := g.input.IntentBook.OpenIntent(j.ID, slurm.FieldGPUs); in != nil && j.IsPending() {
			if x, ok := sharing.StartOf(in.Edit); ok {
				out = append(out, x)
			}
		}
	}
	return out
}
