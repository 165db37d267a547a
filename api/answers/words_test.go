package answers

import (
	"testing"
	"time"

	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/policy"
)

func TestChooseAccount(t *testing.T) {
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	s := &policy.Snapshot{
		Jobs: []policy.Job{
			{ID: 1, User: "ann", Account: "new", Arrive: at}, {ID: 2, User: "ann", Account: "old", Arrive: at.Add(-time.Hour)}, {ID: 3, User: "bob", Account: "bobs", Arrive: at},
		},
		Users: []policy.User{{Name: "ann", Account: "most", UsedService: 9}, {Name: "cem", Account: "less", UsedService: 1}, {Name: "cem", Account: "most", UsedService: 2}},
	}
	for user, want := range map[string]string{"ann": "new", "bob": "bobs", "cem": "most", "dee": ""} {
		if got := lastcycle.ChooseAccount(s, user); got != want {
			t.Errorf("%s: %q, want %q", user, got, want)
		}
	}
}

func TestSmallerRequestsSayWhatIsSmaller(t *testing.T) {
	gang := policy.Job{Limit: 2 * time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 6}, MinNodes: 3, PerNode: 2}}
	shorter, fewer, one := gang, gang, gang
	shorter.Limit = time.Hour
	fewer.Ask.GPUs.Count, fewer.Ask.MinNodes = 4, 2
	one.Ask.GPUs.Count, one.Ask.MinNodes = 2, 1
	for want, smaller := range map[string]policy.Job{"a time limit of 1h": shorter, "4 a100 on 2 nodes": fewer, "2 a100": one} {
		if got := smallerRequestText(&gang, &smaller); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRefusalsAreToldWithTheirSentence(t *testing.T) {
	cooldown := bridge.Refusal{Job: 7, Invariant: invariant.EditBudget, Why: "site_factor: the field was written 3s ago, the least is 20s"}
	if got, want := refusalText(cooldown), cooldown.Why+". "+invariant.EditBudget.Text(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
