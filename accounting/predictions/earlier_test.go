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
	j := policy.Job{User: again.User, Name: "seed-77", State: policy.Pending, Deadline: sec(900), Ask: policy.Ask{GPUs: policy.GPUs{Count: 4}}}
	all := func(string) bool { return true }
	runs, err := d.EarlierRuns(ctx, testCluster, &j, sec(700), all)
	must(t, err)
	if runs == nil || runs.Count != 3 || runs.MedianSeconds != 200 || runs.LongestSeconds <= 300 || !runs.Since.Equal(sec(200)) || runs.EnoughLimitSeconds != 0 || runs.InTimeCount == nil || *runs.InTimeCount != 2 {
		t.Errorf("%+v", runs)
	}
	j.State = policy.Running
	if runs, err := d.EarlierRuns(ctx, testCluster, &j, sec(700), all); err != nil || runs == nil || runs.InTimeCount != nil {
		t.Errorf("of one that runs %+v, %v", runs, err)
	}
	for name, other := range map[string]policy.Job{"another user": {User: "cid", Name: "seed-1", Ask: j.Ask}, "another name": {User: again.User, Name: "eval-1", Ask: j.Ask}, "a name of counters": {User: again.User, Name: "77", Ask: j.Ask}, "another size": {User: again.User, Name: "seed-1"}} {
		if runs, err := d.EarlierRuns(ctx, testCluster, &other, sec(700), all); err != nil || runs != nil {
			t.Errorf("%s: %+v, %v", name, runs, err)
		}
	}
	if runs, err := d.EarlierRuns(ctx, testCluster, &j, sec(700), func(account string) bool { return account != again.Account }); err != nil || runs != nil {
		t.Errorf("to one who may not see the account: %+v, %v", runs, err)
	}
	if runs, err := d.EarlierRuns(ctx, testCluster, &j, t0.Add(200*24*time.Hour), all); err != nil || runs != nil {
		t.Errorf("after more than half a year %+v, %v", runs, err)
	}
}
