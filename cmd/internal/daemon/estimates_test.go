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

// A deadline that is changed while the job runs is stored at the next cycle, whether estimates pause or not, and asked of the
// database only once.
func TestChangedDeadlinesAreStored(t *testing.T) {
	db := stores.New(dbtest.NewDB(t))
	d := newDaemon(&system.System{File: &settings.File{Cluster: "c1"}, DB: db}, slog.New(slog.DiscardHandler))
	at := time.Date(2026, 6, 1, 12, 20, 0, 0, time.UTC)
	due := at.Add(5 * time.Hour)
	report := func(after time.Duration, deadline time.Time, runs bool) *cycle.Report {
		r := waitingReport(at.Add(after), bridge.ModeRank)
		j := &r.PartitionResults[0].Snapshot.Jobs[0]
		j.Arrive, j.Submit, j.Deadline = at, at, deadline
		if runs {
			j.State, j.Start, j.On = policy.Running, at.Add(time.Minute), policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}
			r.PartitionResults[0].Plan.Decisions[0].Verb = policy.Keep
		}
		return r
	}
	changed := func() int {
		return dbtest.CountRows(t, db.DB, "select from fairbridge.deadline_promises where job = 7 and last_deadline is distinct from deadline")
	}
	d.storeEstimates(t.Context(), report(0, due, false))
	d.storeEstimates(t.Context(), report(2*time.Minute, due, true))
	if n := dbtest.CountRows(t, db.DB, "select from fairbridge.deadline_promises where job = 7"); n != 1 || changed() != 0 {
		t.Fatalf("%d promises, %d changed", n, changed())
	}
	d.storeEstimates(t.Context(), report(3*time.Minute, due.Add(time.Hour), true))
	if changed() != 1 {
		t.Error("a changed deadline is not stored")
	}
	k := d.estimateKeepers["gpu"].deadlines
	if again, _ := k.takeChanged(report(4*time.Minute, due.Add(time.Hour), true).PartitionResults[0].Snapshot); len(again) != 0 {
		t.Errorf("the same deadline is stored again: %v", again)
	}
	requeued := report(4*time.Minute, time.Time{}, true).PartitionResults[0].Snapshot
	requeued.Jobs[0].Submit = at.Add(time.Minute)
	if list, _ := k.takeChanged(requeued); len(list) != 0 {
		t.Errorf("of a requeued job without a deadline: %v", list)
	}
	dropped := report(4*time.Minute, time.Time{}, true).PartitionResults[0].Snapshot
	if list, _ := k.takeChanged(dropped); len(list) != 1 {
		t.Errorf("a dropped deadline is not noticed: %v", list)
	}
}
