package answers

import (
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
)

func TestRefusalsAreToldWithTheirSentence(t *testing.T) {
	cooldown := bridge.Refusal{Job: 7, Invariant: invariant.EditBudget, Why: "site_factor: the field was written 3s ago, the least is 20s"}
	if got, want := refusalText(cooldown), cooldown.Why+". "+invariant.EditBudget.Text(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
