package stores

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/samples"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/storetest"
	"fairbridge/policy"
)

func TestJobStory(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	if _, err := d.JobHistory(ctx, testCluster, 1); !errors.Is(err, journal.ErrUnknownJob) {
		t.Errorf("story of a job never seen: %v, want journal.ErrUnknownJob", err)
	}
	must(t, d.RecordView(ctx, view(t0, with(running(1, t0, t0), func(j *slurm.Job) { j.State, j.Start, j.GresDetail = "PENDING", time.Time{}, nil }))))
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	_, err := d.StoreIntents(ctx, storetest.NewCycleOfWaitingJobs(1, epoch, 2), []bridge.Intent{leaseOf(1, epoch)})
	must(t, err)
	c := storetest.NewCycleOfWaitingJobs(2, epoch, 2)
	c.Plan.Decisions[0].Verb, c.Plan.Decisions[0].On = policy.Start, policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}
	_, err = d.StoreIntents(ctx, c, nil)
	must(t, err)
	must(t, d.RecordView(ctx, view(sec(60), running(1, t0, sec(10)))))
	s, err := d.JobHistory(ctx, testCluster, 1)
	must(t, err)
	if len(s.Runs) != 1 || s.Runs[0].Service != 200 || s.Runs[0].Nodes != "n1" || s.Runs[0].State != "RUNNING" || !s.Runs[0].Arrive.Equal(t0) {
		t.Errorf("runs %+v, want one on n1 with 200 GPU-seconds", s.Runs)
	}
	if len(s.Decisions) != 3 || !s.Decisions[0].IsCurrent || s.Decisions[0].Placement != "n1:4×a100" || s.Decisions[2].Verb != policy.Wait {
		t.Errorf("decisions %+v, want the present start and its history", s.Decisions)
	}
	if len(s.Intents) != 1 || s.Intents[0].Edit.Kind != slurm.EditLease {
		t.Errorf("intents %+v, want the lease", s.Intents)
	}
	q, err := d.Queue(ctx, testCluster, "")
	must(t, err)
	if len(q) != 2 || q[0].Rank != 1 || q[0].User != "ann" || q[1].JobID != 2 || q[1].Why == "" {
		t.Errorf("queue %+v", q)
	}
}

func TestCycleIsReadBackChecked(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	c := storetest.NewCycleOfWaitingJobs(1, storetest.BecomeLeader(t, d, "a", time.Hour), 1)
	sum := sha256.Sum256(c.Snapshot)
	c.SnapshotDigest = hex.EncodeToString(sum[:])
	_, err := d.StoreIntents(ctx, c, nil)
	must(t, err)
	got, err := d.ReadCycle(ctx, testCluster, "gpu", 0)
	must(t, err)
	plan, err := bridge.DigestPlan(c.Plan)
	must(t, err)
	if string(got.SnapshotJSON) != string(c.Snapshot) || got.PlanDigest != plan || got.Seq != 1 {
		t.Errorf("cycle %+v", got)
	}
	_, err = d.Exec(ctx, "update fairbridge.cycles set digest = 'other'")
	must(t, err)
	if _, err := d.ReadCycle(ctx, testCluster, "gpu", 1); err == nil {
		t.Error("a snapshot that does not have its digest was believed")
	}
	if _, err := d.Prune(ctx, testCluster, c.At.Add(15*24*time.Hour), DefaultRetention()); err != nil {
		t.Error(err)
	}
	if _, err := d.ReadCycle(ctx, testCluster, "gpu", 1); !errors.Is(err, journal.ErrNoSnapshot) {
		t.Errorf("after its retention: %v, want journal.ErrNoSnapshot", err)
	}
	if _, err := d.ReadCycle(ctx, testCluster, "gpu", 9); !errors.Is(err, journal.ErrNoCycle) {
		t.Errorf("a cycle never stored: %v, want journal.ErrNoCycle", err)
	}
}

func TestPruneKeepsWhatMatters(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	out, err := d.StoreIntents(ctx, storetest.NewCycleOfWaitingJobs(1, epoch, 3), []bridge.Intent{leaseOf(1, epoch), leaseOf(2, epoch)})
	must(t, err)
	out[0].State, out[0].Closed = bridge.IntentVoid, t0
	must(t, d.UpdateIntent(ctx, out[0]))
	_, err = d.StoreIntents(ctx, storetest.NewCycleOfWaitingJobs(2, epoch, 3), nil)
	must(t, err)
	must(t, d.RecordView(ctx, view(sec(60), running(1, t0, sec(10)), with(running(2, t0, t0), func(j *slurm.Job) { j.State, j.Start, j.GresDetail = "PENDING", time.Time{}, nil }))))
	must(t, d.RecordView(ctx, view(sec(90))))
	must(t, d.RecordReadings(ctx, testCluster, []samples.Reading{{At: t0, Node: "n1", UUID: "g0", Type: "a100", Job: 1}}))
	_, err = d.Prune(ctx, testCluster, t0.Add(1000*24*time.Hour), DefaultRetention())
	must(t, err)
	for table, want := range map[string]int{"cycles": 1, "decisions": 0, "decision_now": 3, "intents": 1, "job_runs": 1, "run_segments": 1, "gpu_samples": 0} {
		if got := dbtest.CountRows(t, d.DB, "select 1 from fairbridge."+table); got != want {
			t.Errorf("%s has %d rows left, want %d", table, got, want)
		}
	}
	if m, err := d.Memo(ctx, testCluster, &bridge.Partition{Name: "gpu"}); m.CycleSeq != 2 || err != nil {
		t.Errorf("the last cycle is %d, %v; want 2", m.CycleSeq, err)
	}
}
