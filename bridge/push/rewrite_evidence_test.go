package push

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// TestWhichRewritesAreSystematic: each letter is an edit that was looked at and the field it changed too, a
// dot one that changed nothing more.
func TestWhichRewritesAreSystematic(t *testing.T) {
	for _, tt := range []struct {
		edits string
		want  bool
	}{
		{"", false},
		{"l", false},
		{"ll", true},
		{"..l...l", true}, // one of four since
		{"l....l", false},
		{"l....l........l", true}, // three are too many
		{"ln", false},
		{"l.n.", false},
		{"lnl", true},
		{"l....n....h....r", false}, // each another field
	} {
		var intents []bridge.Intent
		var added RewriteEvidence
		for i, field := range strings.Split(tt.edits, "") {
			in := bridge.Intent{ID: int64(i), Edit: slurm.Edit{Kind: slurm.EditSiteFactor}, State: bridge.IntentObserved, Sent: time.Unix(int64(i+1), 0)}
			if field != "." {
				in.Before.Rewritten, in.Before.RewrittenField = "something else became", field
			}
			intents = append(intents, in)
			added.Add(&in)
		}
		gathered := NewRewriteEvidence(intents)
		if got := gathered.IsSystematic(); got != tt.want || added.IsSystematic() != tt.want {
			t.Errorf("%q: gathered %v, added %v, want %v", tt.edits, got, added.IsSystematic(), tt.want)
		}
	}
}

// TestOnlyEditsThatWereLookedAtCount: what was never sent, was refused or is a stop proves nothing.
func TestOnlyEditsThatWereLookedAtCount(t *testing.T) {
	sent := time.Unix(1, 0)
	intents := []bridge.Intent{{Edit: slurm.Edit{Kind: slurm.EditNice}, State: bridge.IntentObserved, Sent: sent}}
	intents[0].Before.Rewritten, intents[0].Before.RewrittenField = "its time limit became", "time limit"
	for _, in := range []bridge.Intent{
		{Edit: slurm.Edit{Kind: slurm.EditNice}, State: bridge.IntentVoid},
		{Edit: slurm.Edit{Kind: slurm.EditNice}, State: bridge.IntentFailed, Sent: sent},
		{Edit: slurm.Edit{Kind: slurm.EditRequeue}, State: bridge.IntentObserved, Sent: sent},
	} {
		for range 5 {
			intents = append(intents, in)
		}
	}
	intents = append(intents, intents[0])
	if e := NewRewriteEvidence(intents); !e.IsSystematic() {
		t.Error("edits that were not looked at count")
	}
}
