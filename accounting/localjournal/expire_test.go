package localjournal

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestExpiryWithoutADatabase: the daemon is dead and the database gone. What the
// journal knows of node lists is given back, order numbers are left.
func TestExpiryWithoutADatabase(t *testing.T) {
	w, err := sim.New(sim.Config{ClusterName: "lab", Nodes: sim.UniformNodes(1, "a100", 8), Partitions: []sim.Partition{{Name: "gpu"}}})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, user := range []string{"hog", "new"} {
		id, err := w.Submit(sim.JobSpec{User: user, Account: "x", GPUs: 8, WorkTime: time.Hour, TimeLimit: 2 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		w.Advance(w.Now().Add(time.Minute))
	}
	slurmOf := sim.DirectCluster{World: w}
	job := func() slurm.Job {
		j, err := w.Job(ids[1])
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	before := job()
	j := opened(t, filepath.Join(t.TempDir(), "journal"))
	for i, e := range []slurm.Edit{{Kind: slurm.EditRequireNodes, Nodes: []string{"n1"}}, {Kind: slurm.EditSiteFactor, Value: 1_000_000}} {
		e.Run, e.Tasks = before.CurrentRun(), 1
		if err := slurmOf.ApplyEdit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		in := bridge.Intent{
			ID: int64(i + 1), Cluster: "lab", Epoch: 1, Policy: "fifo", Edit: e, State: bridge.IntentObserved, Made: w.Now(), Sent: w.Now(),
			Before: bridge.JobBefore{Eligible: before.EligibleTime, Begin: before.EligibleTime, Priority: before.Priority, State: before.State},
		}
		if err := j.WriteIntents(in); err != nil {
			t.Fatal(err)
		}
	}
	x := &push.Expirer{MinLeaderlessTime: 2 * time.Minute, Releaser: push.Releaser{
		Ports: push.Ports{Cluster: slurmOf, Journal: j, Now: w.Now}, ClusterName: "lab", HolderName: "timer:1" + push.ExpirerNameSuffix,
		Wait: func(_ context.Context, d time.Duration) error {
			w.Advance(w.Now().Add(d))
			return nil
		},
	}}
	minute := func() {
		if _, err := x.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Advance(w.Now().Add(time.Minute))
	}
	minute()
	if job().RequiredNodes.Text == "" {
		t.Error("a pin of this moment was taken")
	}
	for range 4 {
		minute()
	}
	if now := job(); now.RequiredNodes.Text != "" || now.Priority < 1_000_000 {
		t.Errorf("required %q, priority %d: the order number is to stay", now.RequiredNodes.Text, now.Priority)
	}
}
