package localjournal

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// TestJournalsOfOtherVersions: a release without a database works from the file, whichever version
// wrote it. older.jsonl was written by a program of before the single first migration; newer.jsonl
// has fields and a kind of edit that no version knows. All that this version knows is given
// back; a row of a kind that it does not know is kept, and nothing is sent for it.
func TestJournalsOfOtherVersions(t *testing.T) {
	for file, rows := range map[string]int{"older.jsonl": 3, "newer.jsonl": 4} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "journal")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			intents := read(t, path)
			if len(intents) != rows {
				t.Fatalf("%d rows, want %d", len(intents), rows)
			}
			v := &slurm.View{At: t0.Add(time.Minute)}
			for id := range int64(rows) {
				v.Jobs = append(v.Jobs, slurm.Job{ID: id + 1, Submit: time.Unix(5, 0), State: "PENDING", IsNiceKnown: true, EligibleTime: t0})
			}
			v.Jobs[0].Nice, v.Jobs[1].RequiredNodes, v.Jobs[2].EligibleTime = 257, slurm.ReadHosts("n4"), t0.Add(time.Hour)
			intents = ledger.ReplaceChangedIntents(intents, ledger.SettleIntents(intents, v, v.At))
			var got []string
			for _, e := range ledger.UndoEdits(intents, v, v.At) {
				got = append(got, e.String())
			}
			want := []string{"nice job 1 to 20", "require job 2 nodes [n1,n2]", "unlease job 3 until 2026-03-02T10:01:00Z"}
			if len(got) != len(want) {
				t.Fatalf("given back by %q, want %q", got, want)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("given back by %q, want %q", got[i], want[i])
				}
			}
			if rows == 4 && intents[3].State != bridge.IntentObserved {
				t.Errorf("the row of an unknown kind is %s", intents[3].State)
			}
		})
	}
}
