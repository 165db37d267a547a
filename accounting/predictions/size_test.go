package predictions_test

import (
	"maps"
	"testing"
	"time"

	"fairbridge/accounting/predictions"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// setSize notes that a job's number of GPUs was changed by us, from what its owner asked, at a second.
func setSize(t *testing.T, d *stores.Stores, job int64, owners, ours, second int) {
	t.Helper()
	_, err := d.Exec(t.Context(), `insert into fairbridge.intents (cluster, epoch, partition, seq, place, policy, job, submit, restarts, sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, sent, closed)
	  values ($1, 1, 'gpu', $2, 0, 'sia', $3, 0, 0, '', 'gpus', 'gpus', $4, '{}', '', 1, '', jsonb_build_object('gpus', $5::int), 'OBSERVED', $6, $6, $6)`,
		testCluster, int64(second)*100+job, job, ours, owners, sec(second))
	must(t, err)
}

// TestRunsOnSizesOfOurs: of a job that ran on a number of GPUs that we had set, what it would have taken on what its owner
// asked is learnt, by the speed that is assumed; not where the limit ended it there. A replay hears what it asked for.
func TestRunsOnSizesOfOurs(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	ended := func(job int64, state string) slurm.Job { // on 4 GPUs, for 400 s
		return with(running(job, t0, sec(100)), func(j *slurm.Job) {
			j.State, j.End, j.GresDetail, j.TimeLimit = state, sec(500), nil, time.Hour
			j.AllocatedTRES = slurm.ReadTRES("gres/gpu=4,gres/gpu:a100=4")
		})
	}
	must(t, d.RecordView(ctx, view(sec(600), ended(1, "COMPLETED"), ended(2, "TIMEOUT"), ended(3, "TIMEOUT"), ended(4, "COMPLETED"), ended(5, "COMPLETED"))))
	setSize(t, d, 1, 2, 4, 50)
	setSize(t, d, 2, 8, 4, 50)
	setSize(t, d, 4, 8, 2, 50) // which its owner changed again
	setSize(t, d, 5, 4, 2, 50)
	setSize(t, d, 5, 4, 4, 60) // given back
	runs, err := predictions.FinishedJobs(d.Predictions, ctx, testCluster, sec(700))
	must(t, err)
	const twice = 1.05 / 1.15 * 2 // how fast 4 GPUs are assumed to be, relative to 2
	got := map[int]int{}
	for _, r := range runs {
		got[r.GPUs]++
		want := 400.
		if r.GPUs == 2 {
			want *= twice
		}
		if s := r.Ran.Seconds(); s < want-1 || s > want+1 {
			t.Errorf("learns %+v, want %g s", r, want)
		}
	}
	if len(runs) != 4 || got[2] != 1 || got[4] != 3 {
		t.Errorf("learns %+v", runs)
	}
	past, err := d.PastRuns(ctx, testCluster, "gpu", t0, sec(700))
	must(t, err)
	asked := map[policy.JobID]int{}
	for _, r := range past {
		asked[r.Job] = r.AskedGPUs
	}
	if want := map[policy.JobID]int{1: 2, 2: 8, 3: 0, 4: 0, 5: 0}; !maps.Equal(asked, want) {
		t.Errorf("a replay hears that they asked for %v, want %v", asked, want)
	}
}

// TestRunsOnSizesOfOursAreNotScored: how long such a run takes says little of what was predicted.
func TestRunsOnSizesOfOursAreNotScored(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	habits(t, d, 1, 60, func(i int) time.Time { return t0.Add(time.Duration(i) * time.Hour) })
	made := t0.Add(100 * time.Hour)
	_, err := d.Learn(ctx, testCluster, made)
	must(t, err)
	start := made.Add(time.Minute)
	must(t, d.RecordView(ctx, view(start.Add(time.Minute), running(901, start, start), running(902, start, start))))
	setSize(t, d, 901, 2, 4, int(start.Sub(t0).Seconds()))
	got, err := d.Learn(ctx, testCluster, made.Add(time.Hour))
	must(t, err)
	var job int64
	must(t, d.QueryRow(ctx, "select max(job) from fairbridge.predictions").Scan(&job))
	if got.PredictedCount != 1 || job != 902 {
		t.Errorf("predicted of %d runs, the last of job %d, want only 902", got.PredictedCount, job)
	}
}
