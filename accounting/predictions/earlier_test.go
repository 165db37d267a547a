package predictions_test

import (
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// TestEarlierRuns: a job is told of those of its user whose names differ in counters, in all their runs, and of none that others ended.
func TestEarlierRuns(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	ended := func(id int64, name, state string, seconds int) slurm.Job {
		return with(running(id, t0, sec(100)), func(j *slurm.Job) {
			j.Name, j.State, j.End, j.GresDetail, j.TimeLimit = name, state, sec(100+seconds), nil, time.Hour
			j.AllocatedTRES = slurm.ReadTRES("gres/gpu=4,gres/gpu:a100=4")
		})
	}
	requeued := with(running(5, t0, sec(10)), func(j *slurm.Job) { j.Name, j.TimeLimit = "seed-5", time.Hour })
	must(t, d.RecordView(ctx, view(sec(110), requeued)))
	again := with(ended(5, "seed-5", "COMPLETED", 300), func(j *slurm.Job) { j.Submit, j.Restarts, j.Start = sec(150), 1, sec(200) })
	bobs := ended(6, "seed-6", "COMPLETED", 40)
	bobs.User = "bob"
	must(t, d.RecordView(ctx, view(sec(600), ended(1, "seed-1", "COMPLETED", 100), ended(2, "seed-2", "TIMEOUT", 200), ended(3, "seed-3", "NODE_FAIL", 10), ended(4, "other-4", "COMPLETED", 50), again, bobs)))
	j := policy.Job{User: again.User, Name: "seed-77"}
	runs, err := d.EarlierRuns(ctx, testCluster, &j, sec(700))
	must(t, err)
	if len(runs) != 3 || runs[0].Ran != 100*time.Second || runs[1].Ran != 200*time.Second || runs[2].Ran <= 200*time.Second || runs[0].GPUs != 4 || runs[0].Limit != time.Hour || !runs[1].End.Equal(sec(300)) {
		t.Errorf("%+v", runs)
	}
	for name, other := range map[string]policy.Job{"another user": {User: "cid", Name: "seed-1"}, "another name": {User: again.User, Name: "eval-1"}, "a name of counters": {User: again.User, Name: "77"}} {
		if runs, err := d.EarlierRuns(ctx, testCluster, &other, sec(700)); err != nil || len(runs) > 0 {
			t.Errorf("%s: %+v, %v", name, runs, err)
		}
	}
	if runs, err := d.EarlierRuns(ctx, testCluster, &j, t0.Add(200*24*time.Hour)); err != nil || len(runs) > 0 {
		t.Errorf("after more than half a year %+v, %v", runs, err)
	}
}
