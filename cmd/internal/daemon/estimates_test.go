package daemon

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// waitingReport is the report of a cycle with one waiting job on a free node.
func waitingReport(at time.Time, mode bridge.Mode) *cycle.Report {
	s := &policy.Snapshot{
		Now:   at,
		Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, CPUs: 8, MemMB: 100, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}},
		Jobs:  []policy.Job{{ID: 7, User: "ann", Account: "phys", Partition: "gpu", State: policy.Pending, Arrive: at, Limit: time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}}},
	}
	plan := &policy.Plan{Decisions: []policy.Decision{{Job: 7, Verb: policy.Start, Rank: 1}}}
	return &cycle.Report{Epoch: 1, PartitionResults: []cycle.PartitionResult{{Partition: bridge.Partition{Name: "gpu", Mode: mode}, Snapshot: s, Plan: plan}}}
}

func TestEstimatesAreStored(t *testing.T) {
	db := stores.New(dbtest.NewDB(t))
	var logged strings.Builder
	d := newDaemon(&system.System{File: &settings.File{Cluster: "c1"}, DB: db}, slog.New(slog.NewTextHandler(&logged, nil)))
	at := time.Date(2026, 6, 1, 12, 20, 0, 0, time.UTC)
	rows := func() int {
		return dbtest.CountRows(t, db.DB, "select from fairbridge.job_estimates where job = 7 and early = made")
	}
	standby := waitingReport(at, bridge.ModeRank)
	standby.Epoch = 0
	d.storeEstimates(t.Context(), standby)
	d.storeEstimates(t.Context(), waitingReport(at, bridge.ModeObserve))
	if n := rows(); n != 0 {
		t.Errorf("%d estimates where we do not order", n)
	}
	for _, c := range []struct {
		after time.Duration
		rows  int
	}{{0, 1}, {30 * time.Second, 1}, {41 * time.Minute, 2}} {
		d.storeEstimates(t.Context(), waitingReport(at.Add(c.after), bridge.ModeRank))
		if n := rows(); n != c.rows {
			t.Errorf("%d estimates after %v, want %d; log: %s", n, c.after, c.rows, &logged)
		}
	}
	array := waitingReport(at.Add(42*time.Minute), bridge.ModeRank)
	array.PartitionResults[0].Snapshot.Jobs[0].Tasks = 3
	d.storeEstimates(t.Context(), array)
	if n := dbtest.CountRows(t, db.DB, "select from fairbridge.job_estimates where job = 7 and made = $1", at.Add(42*time.Minute)); n != 1 || rows() != 2 {
		t.Errorf("after tasks started: %d estimates of that cycle, %d in all, want 1 in the place of the last; log: %s", n, rows(), &logged)
	}
	broken := waitingReport(at.Add(90*time.Minute), bridge.ModeRank)
	broken.PartitionResults[0].Snapshot = nil
	d.storeEstimates(t.Context(), broken)
	if !strings.Contains(logged.String(), "estimating partition gpu: panic") {
		t.Errorf("a panic is not logged: %s", &logged)
	}
	logged.Reset()
	db.Close()
	for i := range 2 {
		d.storeEstimates(t.Context(), waitingReport(at.Add(time.Duration(2+i)*time.Hour), bridge.ModeRank))
	}
	if n := strings.Count(logged.String(), "estimates of starts not stored"); n != 1 {
		t.Errorf("a database that is away was logged %d times: %s", n, &logged)
	}
}
