package accounting

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

func TestJobStory(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	if _, err := d.JobStory(ctx, testCluster, 1); !errors.Is(err, ErrUnknownJob) {
		t.Errorf("story of a job never seen: %v, want ErrUnknownJob", err)
	}
	must(t, d.Record(ctx, view(t0, with(running(1, t0, t0), func(j *slurm.Job) { j.State, j.Start, j.Gres = "PENDING", time.Time{}, nil }))))
	epoch := lead(t, d, "a")
	_, err := d.Intend(ctx, cycleOf(1, epoch, 2), []bridge.Intent{leaseOf(1, epoch)})
	must(t, err)
	c := cycleOf(2, epoch, 2)
	c.Plan.Decisions[0].Verb, c.Plan.Decisions[0].On = policy.Start, policy.Alloc{{Node: "n1", Type: "a100", Count: 4}}
	_, err = d.Intend(ctx, c, nil)
	must(t, err)
	must(t, d.Record(ctx, view(sec(60), running(1, t0, sec(10)))))
	s, err := d.JobStory(ctx, testCluster, 1)
	must(t, err)
	if len(s.Runs) != 1 || s.Runs[0].Service != 200 || s.Runs[0].Nodes != "n1" || s.Runs[0].State != "RUNNING" || !s.Runs[0].Arrive.Equal(t0) {
		t.Errorf("runs %+v, want one on n1 with 200 GPU-seconds", s.Runs)
	}
	if len(s.Decisions) != 3 || !s.Decisions[0].Now || s.Decisions[0].On != "n1:4×a100" || s.Decisions[2].Verb != policy.Wait {
		t.Errorf("decisions %+v, want the present start and its history", s.Decisions)
	}
	if len(s.Intents) != 1 || s.Intents[0].Edit.Kind != slurm.Lease {
		t.Errorf("intents %+v, want the lease", s.Intents)
	}
	q, err := d.Queue(ctx, testCluster, "")
	must(t, err)
	if len(q) != 2 || q[0].Rank != 1 || q[0].User != "ann" || q[1].Job != 2 || q[1].Why == "" {
		t.Errorf("queue %+v", q)
	}
}

func TestCycleIsReadBackChecked(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	c := cycleOf(1, lead(t, d, "a"), 1)
	sum := sha256.Sum256(c.Snapshot)
	c.Digest = hex.EncodeToString(sum[:])
	_, err := d.Intend(ctx, c, nil)
	must(t, err)
	got, err := d.Cycle(ctx, testCluster, "gpu", 0)
	must(t, err)
	plan, err := DigestPlan(c.Plan)
	must(t, err)
	if string(got.Snapshot) != string(c.Snapshot) || got.PlanDigest != plan || got.Seq != 1 {
		t.Errorf("cycle %+v", got)
	}
	_, err = d.pool.Exec(ctx, "update fairbridge.cycles set digest = 'other'")
	must(t, err)
	if _, err := d.Cycle(ctx, testCluster, "gpu", 1); err == nil {
		t.Error("a snapshot that does not have its digest was believed")
	}
	if _, err := d.Prune(ctx, testCluster, c.At.Add(15*24*time.Hour), DefaultRetention()); err != nil {
		t.Error(err)
	}
	if _, err := d.Cycle(ctx, testCluster, "gpu", 1); !errors.Is(err, ErrNoSnapshot) {
		t.Errorf("after its retention: %v, want ErrNoSnapshot", err)
	}
	if _, err := d.Cycle(ctx, testCluster, "gpu", 9); !errors.Is(err, ErrNoCycle) {
		t.Errorf("a cycle never stored: %v, want ErrNoCycle", err)
	}
}

func TestPruneKeepsWhatMatters(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	epoch := lead(t, d, "a")
	out, err := d.Intend(ctx, cycleOf(1, epoch, 3), []bridge.Intent{leaseOf(1, epoch), leaseOf(2, epoch)})
	must(t, err)
	out[0].State, out[0].Closed = bridge.Void, t0
	must(t, d.Mark(ctx, out[0]))
	_, err = d.Intend(ctx, cycleOf(2, epoch, 3), nil)
	must(t, err)
	must(t, d.Record(ctx, view(sec(60), running(1, t0, sec(10)), with(running(2, t0, t0), func(j *slurm.Job) { j.State, j.Start, j.Gres = "PENDING", time.Time{}, nil }))))
	must(t, d.Record(ctx, view(sec(90))))
	must(t, d.RecordReadings(ctx, testCluster, []Reading{{At: t0, Node: "n1", UUID: "g0", Type: "a100", Job: 1}}))
	_, err = d.Prune(ctx, testCluster, t0.Add(1000*24*time.Hour), DefaultRetention())
	must(t, err)
	for table, want := range map[string]int{"cycles": 1, "decisions": 0, "decision_now": 3, "intents": 1, "job_runs": 1, "run_segments": 1, "gpu_samples": 0} {
		if got := count(t, d, "select 1 from fairbridge."+table); got != want {
			t.Errorf("%s has %d rows left, want %d", table, got, want)
		}
	}
	if m, err := d.Memo(ctx, testCluster, "gpu"); m.Seq != 2 || err != nil {
		t.Errorf("the last cycle is %d, %v; want 2", m.Seq, err)
	}
}

func TestReadingsRollUp(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	var list []Reading
	for i := range 4 {
		r := Reading{At: t0.Add(time.Duration(i) * time.Minute), Node: "n1", UUID: "g0", Type: "a100", Job: 1, Busy: policy.Known(float64(i) / 4)}
		if i == 3 {
			r.Busy = policy.Measure{} // unknown is not zero
		}
		list = append(list, r)
	}
	list = append(list, Reading{At: t0.Add(14*time.Hour + time.Second), Node: "n1", UUID: "g0", Type: "a100"}) // the next day
	for range 2 {
		must(t, d.RecordReadings(ctx, testCluster, list))
		must(t, d.Rollup(ctx, testCluster, t0.Add(59*time.Minute)))
	}
	var gpus, samples int
	var busy, peak float64
	must(t, d.pool.QueryRow(ctx, "select gpus, samples, busy, busy_max from fairbridge_v1.gpu_use_by_job_hour where job = 1").Scan(&gpus, &samples, &busy, &peak))
	if gpus != 1 || samples != 4 || math.Abs(busy-0.25) > 1e-6 || peak != 0.5 {
		t.Errorf("%d GPUs, %d samples, busy %v, peak %v; want 1, 4, 0.25, 0.5", gpus, samples, busy, peak)
	}
	if n := count(t, d, "select 1 from fairbridge.gpu_samples"); n != len(list) {
		t.Errorf("%d readings stored, want %d", n, len(list))
	}
}
