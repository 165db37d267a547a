package journal

import (
	"errors"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/gear/storetest"
)

// TestDoubtsKeepTheirStart: a cause keeps the time at which it came until it is over, and of a
// daemon that does not lead nothing is recorded.
func TestDoubtsKeepTheirStart(t *testing.T) {
	d := fresh(t)
	storetest.BecomeLeader(t, d, "a", time.Hour)
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	slurm, stop := bridge.Doubt{Cause: bridge.CauseFailedPoll, Err: errors.New("no answer\x00")}, bridge.Doubt{Cause: bridge.CauseStopFile, Err: errors.New("STOP exists")}
	set := func(daemon string, minutes int, doubts ...bridge.Doubt) []RecordedDoubt {
		t.Helper()
		if err := d.SetDoubts(t.Context(), testCluster, daemon, doubts, start.Add(time.Duration(minutes)*time.Minute)); err != nil {
			t.Fatal(err)
		}
		list, err := d.Doubts(t.Context(), testCluster)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := set("a", 0, slurm, slurm); len(got) != 1 || got[0].Daemon != "a" || !got[0].Since.Equal(start) || got[0].Why == "" {
		t.Fatalf("the first cycle in doubt: %+v", got)
	}
	got := set("a", 3, stop, slurm)
	if len(got) != 2 || got[0].Cause != bridge.CauseFailedPoll || !got[0].Since.Equal(start) || !got[0].At.Equal(start.Add(3*time.Minute)) || !got[1].Since.Equal(got[0].At) {
		t.Errorf("three minutes later: %+v", got)
	}
	if got := set("b", 4); len(got) != 2 {
		t.Errorf("one that stands by was heard: %+v", got)
	}
	if got := set("a", 5, stop); len(got) != 1 || got[0].Cause != bridge.CauseStopFile {
		t.Errorf("with one cause over: %+v", got)
	}
	if got := set("a", 6); len(got) != 0 {
		t.Errorf("with all over: %+v", got)
	}
}

// TestReadLeader.
func TestReadLeader(t *testing.T) {
	d := fresh(t)
	if l, err := d.ReadLeader(t.Context(), testCluster); l != nil || err != nil {
		t.Fatalf("before any led: %+v, %v", l, err)
	}
	storetest.BecomeLeader(t, d, "a", time.Hour)
	if l, err := d.ReadLeader(t.Context(), testCluster); err != nil || l.Daemon != "a" || !l.Leads || l.Since.IsZero() {
		t.Errorf("while one leads: %+v, %v", l, err)
	}
	if err := d.Resign(t.Context(), testCluster, "a"); err != nil {
		t.Fatal(err)
	}
	if l, err := d.ReadLeader(t.Context(), testCluster); err != nil || l.Daemon != "a" || l.Leads {
		t.Errorf("after it stepped down: %+v, %v", l, err)
	}
}
