// Package diff turns a plan into the edits that lead from what Slurm shows to
// what the plan says. It is pure.
package diff

import (
	"cmp"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// Input is everything Diff needs of one partition.
type Input struct {
	actuator.PartitionGoal                    // its IntentBook is not looked at
	Book                   *ledger.IntentBook // of all open and standing intents
	AllowedMode            bridge.Mode
}

// Diff returns the edits that lead from what Slurm shows to what the plan
// says. It is pure, and level-based: applied to its own effect it is empty.
// Nothing is sent to a field with an open intent, nor to a job that somebody
// changed after us. Every edit carries its reason.
func Diff(in Input) []slurm.Edit {
	g := in.PartitionGoal
	g.IntentBook = in.Book
	var edits []slurm.Edit
	for i := range actuator.EditKindTable {
		row := &actuator.EditKindTable[i]
		switch {
		case in.AllowedMode.Allows(row.NeededMode):
			edits = append(edits, g.WantedEdits(row)...)
		case in.AllowedMode.Allows(bridge.ModeRank):
			edits = append(edits, g.TakeBackEdits(row)...)
		}
	}
	edits = slices.DeleteFunc(edits, func(e slurm.Edit) bool {
		return in.Book.OpenIntent(e.Run.Job, e.Kind.Field()) != nil || in.Book.YieldedIntent(e.Run, in.View.At) != nil ||
			in.Book.YieldedTelling(e.Run, e.Kind.Field(), in.View.At) != nil
	})
	slices.SortStableFunc(edits, func(a, b slurm.Edit) int {
		return cmp.Or(cmp.Compare(a.Run.Job, b.Run.Job), cmp.Compare(a.Kind, b.Kind))
	})
	return edits
}
