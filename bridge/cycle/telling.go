package cycle

import (
	"errors"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// addTellingWarnings says why nothing is told although it is configured.
func addTellingWarnings(c *bridge.Config, f bridge.Facts, r *Report) {
	if c.Order.AdminComment && !f.View.CanWriteAdminComment {
		r.addWarning(bridge.CauseTelling, errors.New("order.admin_comment is on, and REST of this Slurm cannot write an admin_comment: 23.11 and later can"))
	}
	if err := ledger.CheckTelling(f.Intents, f.View.At); err != nil {
		r.addWarning(bridge.CauseTelling, err)
	}
}

// withoutTelling leaves out the edits that only tell.
func withoutTelling(edits []slurm.Edit) []slurm.Edit {
	return slices.DeleteFunc(edits, func(e slurm.Edit) bool { return actuator.EditKindRowOf(e.Kind).OnlyTells })
}

// orderTellingLast puts the intents that only tell behind all others.
func orderTellingLast(intents []bridge.Intent) []bridge.Intent {
	slices.SortStableFunc(intents, func(a, b bridge.Intent) int {
		switch {
		case onlyTells(a) == onlyTells(b):
			return 0
		case onlyTells(a):
			return 1
		}
		return -1
	})
	return intents
}

func onlyTells(in bridge.Intent) bool { return actuator.EditKindRowOf(in.Edit.Kind).OnlyTells }
