package gate

import (
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/actuator/waitnote"
	"fairbridge/bridge/invariant"
)

// maxTellings is how many edits that only tell may be sent in a cycle (I10). They have a budget of
// their own, so that they take none of the others'.
const maxTellings = 10

// checkTellingBudget says why an edit that only tells does not fit its budget: a call each, however
// many tasks its record stands for.
func (g *editGate) checkTellingBudget() *denial {
	if g.tellingsLeft > 0 {
		return nil
	}
	return deny(invariant.EditBudget, "%d jobs are told in this interval, and no more", maxTellings)
}

// spendEditBudget takes an edit that is let through off its budget.
func (g *editGate) spendEditBudget(c *editCandidate) {
	g.tellingsLeft -= oneIf(c.EditKindRow.OnlyTells)
	g.editsLeft -= actuator.BudgetCost(c.Edit)
}

// tellingRank puts, of the edits that only tell, those first that take away a text that is not true
// any more, then those of the first jobs of the line.
func tellingRank(c *editCandidate) int {
	if !c.EditKindRow.OnlyTells || c.GivesBack {
		return 0
	}
	n, _ := waitnote.Parse(c.Text)
	return n.Place
}
