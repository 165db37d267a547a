package privacy_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/api/privacy"
	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
)

// Why nothing is sent is told to users without hosts, paths, names and what operators wrote.
func TestWithheldIsToldInPublicWords(t *testing.T) {
	at := time.Date(2026, 6, 1, 11, 0, 0, 0, time.UTC)
	stop := bridge.OperatorAction{By: "annop", At: at, Why: "bob's key is stolen"}
	lowered := bridge.Demotion{Partition: "gpu", Mode: bridge.ModeRank, Action: 3, By: "annop", Since: at, Why: "incident 77"}
	guard := bridge.Demotion{Partition: "gpu", By: "guard", Since: at, Why: "bob waits 3 times as long"}
	const dial = "reading what operators did: dial tcp 10.1.2.3:5432 (dbhost)"
	doubts := []journal.RecordedDoubt{{Cause: bridge.CauseOperatorActions, Why: dial}}
	for why, want := range map[string]string{
		dial:           "it is not known what operators did",
		stop.Text():    "an operator stopped it",
		lowered.Text(): "an operator or the harm guard lowered the mode",
		guard.Text():   "an operator or the harm guard lowered the mode",
		"the daemon warms up: this was good poll 1 in a row, and changes are sent from poll 4 on": "no changes after the start yet",
		"/etc/fairbridge/STOP exists: remove it to let pushing go on":                             "changes are held back for now; operators see why",
	} {
		whole := []bridge.Refusal{{Why: why}, {Why: why}}
		if d := cmp.Diff([]string{want}, privacy.Rule{Viewer: &ann}.Withheld(whole, doubts)); d != "" {
			t.Error(d)
		}
		root := api.NewLocalOperator("root")
		if d := cmp.Diff([]string{why}, privacy.Rule{Viewer: &root}.Withheld(whole, doubts)); d != "" {
			t.Error(d)
		}
	}
	broken := []bridge.Refusal{{Invariant: invariant.MinimumRun, Why: "job 2 of bob ran 5s"}}
	if d := cmp.Diff([]string{"a plan was turned down by its checks"}, privacy.Rule{Viewer: &ann}.Withheld(broken, nil)); d != "" {
		t.Error(d)
	}
	if d := (privacy.Rule{Viewer: &ann}).Demotion(lowered); d.By+d.Why != "an operator or the harm guard lowered the mode" || d.Mode != bridge.ModeRank {
		t.Errorf("%+v", d)
	}
}
