package pseudonym

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/policy"
)

// TestReasonsAndReservations replaces what operators and administrators wrote, though all its words are ours.
func TestReasonsAndReservations(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	stop := bridge.OperatorAction{Kind: bridge.OperatorStop, By: "root", Why: `the "market" research group owes us 5 nodes`, At: now}
	left := bridge.OperatorAction{Kind: bridge.OperatorRelease, Jobs: bridge.JobTarget{Address: "4711"}, By: "root", Why: "research of the company", At: now, Until: now.Add(time.Hour)}
	lowered := bridge.Demotion{Partition: "debug", Action: 7, Since: now, By: "root", Why: "private data of the partner"}
	cleared := bridge.Demotion{Partition: "debug", Since: now, By: "root", Why: "speech model"}
	guard := bridge.Demotion{Partition: "debug", Since: now, By: harm.GuardName, Why: "the jobs of 3 accounts waited longer"}
	window := policy.Window{Name: "market"}
	work := policy.Window{Name: "science", IsMaintenance: true}
	text, err := json.Marshal(map[string]any{
		"texts": []string{stop.Text(), left.Text(), lowered.Text(), cleared.Text(), guard.Text(), "set aside for " + window.String(), "set aside for " + work.String(), "not moved: private data of the partner; science of market"},
		"did":   []any{map[string]any{"by": "root", "why": "research in private"}}, "guard": guard,
	})
	if err != nil {
		t.Fatal(err)
	}
	doc, m := decode(t, text), New([]byte("key"))
	m.Learn(doc)
	got, err := json.Marshal(m.Document(doc))
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"market", "research", "company", "private", "partner", "speech", "science"} {
		if strings.Contains(string(got), gone) {
			t.Errorf("%s is left in %s", gone, got)
		}
	}
	for kept, n := range map[string]int{"until fairbridge operate resume. ": 1, "set aside for reservation ": 1, "set aside for the maintenance ": 1, guard.Why: 2} {
		if strings.Count(string(got), kept) != n {
			t.Errorf("%q is not kept %d times in %s", kept, n, got)
		}
	}
}
