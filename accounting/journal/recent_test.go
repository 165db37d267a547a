package journal

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/gear/storetest"
)

// TestReadRecent reads a cycle, its decisions and its change back, and of what was before the time nothing.
func TestReadRecent(t *testing.T) {
	d := fresh(t)
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	c := storetest.NewCycleOfWaitingJobs(1_000_001, epoch, 3)
	lease := storetest.NewLeaseIntent(1_000_001, epoch)
	if _, err := d.StoreIntents(t.Context(), c, []bridge.Intent{lease}); err != nil {
		t.Fatal(err)
	}
	for subject, want := range map[string]struct {
		text  string
		times int
	}{"cycles": {`"seq":1000001,`, 1}, "decisions": {`"why":`, 3}, "ledger": {`"changes":1`, 1}} {
		read := func(since time.Time) (all string) {
			rows, err := d.ReadRecent(t.Context(), subject, storetest.ClusterName, since)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				all += string(row) + "\n"
			}
			return strings.ReplaceAll(all, " ", "")
		}
		if got := read(storetest.StartTime.AddDate(-1, 0, 0)); strings.Count(got, want.text) != want.times {
			t.Errorf("%s: %s", subject, got)
		}
		if got := read(time.Now().AddDate(50, 0, 0)); got != "" {
			t.Errorf("%s of the future: %s", subject, got)
		}
	}
}
