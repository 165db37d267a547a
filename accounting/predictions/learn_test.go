package predictions_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/predictions"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// habits are jobs that each take a time typical of their name.
func habits(t testing.TB, d *stores.Stores, from int64, n int, start func(i int) time.Time) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(from), 1))
	var jobs []slurm.Job
	for i := range n {
		at := start(i)
		j := running(from+int64(i), at.Add(-time.Minute), at)
		kind := i % 3
		j.Name, j.User, j.Account = fmt.Sprint("train-", kind), fmt.Sprint("u", kind), fmt.Sprint("a", kind%2)
		ran := time.Duration([]int{300, 3600, 20000}[kind]+r.IntN(60)) * time.Second
		j.State, j.End, j.GresDetail, j.AllocatedTRES, j.TimeLimit = "COMPLETED", at.Add(ran), nil, slurm.ReadTRES("gres/gpu=4,gres/gpu:a100=4"), 24*time.Hour
		jobs = append(jobs, j)
	}
	must(t, d.RecordView(t.Context(), view(jobs[len(jobs)-1].End.Add(time.Hour), jobs...)))
}

func TestLearn(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	if got, err := d.Learn(ctx, testCluster, t0); err != nil || got.ModelID != 0 {
		t.Fatalf("learnt %+v, %v from nothing", got, err)
	}
	habits(t, d, 1, 60, func(i int) time.Time { return t0.Add(time.Duration(i) * time.Hour) })
	made := t0.Add(100 * time.Hour)
	first, err := d.Learn(ctx, testCluster, made)
	must(t, err)
	if first.RunCount != 60 || first.ModelID == 0 || first.PredictedCount != 0 {
		t.Errorf("learnt %+v", first)
	}
	past, err := d.Past(ctx, testCluster, made)
	must(t, err)
	if past.PredictionTrust < .3 || past.PredictionTrust > 1 {
		t.Errorf("trust %g in what was predicted of 40 jobs that each took what is typical of their name", past.PredictionTrust)
	}
	for kind, want := range []time.Duration{330 * time.Second, 3630 * time.Second, 20030 * time.Second} {
		j := policy.Job{User: fmt.Sprint("u", kind), Account: fmt.Sprint("a", kind%2), Name: fmt.Sprint("train-", kind), Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}, Limit: 24 * time.Hour}
		left, sigma := past.PredictTimeLeft(&j)
		if left < want*7/10 || left > want*14/10 || sigma <= 0 {
			t.Errorf("kind %d: %v left, standard error %v; want about %v", kind, left, sigma, want)
		}
		j.Attained = policy.ServiceForTime(4, want/2)
		if half, _ := past.PredictTimeLeft(&j); half < want/4 || half >= left {
			t.Errorf("kind %d: %v left halfway of %v", kind, half, want)
		}
	}
	// Runs that began before the model was made are not scored, later ones are.
	habits(t, d, 200, 30, func(i int) time.Time { return made.Add(time.Duration(i-15) * time.Hour) })
	second, err := d.Learn(ctx, testCluster, made.Add(40*time.Hour))
	must(t, err)
	if second.PredictedCount != 15 || second.SettledCount != 15 || second.RunCount != 90 {
		t.Errorf("then learnt %+v", second)
	}
	var runs int
	var factor, within float64
	must(t, d.QueryRow(ctx, "select sum(runs), max(mean_factor), min(within_80) from fairbridge_v1.prediction_scores").Scan(&runs, &factor, &within))
	if runs != 15 || factor > 1.3 || within < .5 {
		t.Errorf("scores: %d runs, factor %v, within 80 %% %v", runs, factor, within)
	}
	if again, err := d.Learn(ctx, testCluster, made.Add(41*time.Hour)); err != nil || again.PredictedCount != 0 || again.SettledCount != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// A model that cannot be read must not stop anything, nor the next from being made.
func TestABadModelIsLeftAlone(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	habits(t, d, 1, 60, func(i int) time.Time { return t0.Add(time.Duration(i) * time.Hour) })
	_, err := d.Learn(ctx, testCluster, t0.Add(100*time.Hour))
	must(t, err)
	_, err = d.Exec(ctx, "update fairbridge.models set model = 'junk'")
	must(t, err)
	past, err := d.Past(ctx, testCluster, t0)
	must(t, err)
	if past.PredictTimeLeft != nil {
		t.Error("junk predicts")
	}
	got, err := d.Learn(ctx, testCluster, t0.Add(101*time.Hour))
	must(t, err)
	if past, err = d.Past(ctx, testCluster, t0); err != nil || past.PredictTimeLeft == nil {
		t.Errorf("no model after %+v: %v", got, err)
	}
}

// What is learnt of a job is the time of all its runs, once, when it is over.
func TestLearnableRuns(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	run := with(running(1, t0, sec(10)), func(j *slurm.Job) { j.TimeLimit = time.Hour })
	must(t, d.RecordView(ctx, view(sec(20), run)))
	again := with(run, func(j *slurm.Job) { j.Submit, j.Restarts, j.Start = sec(80), 1, sec(200) })
	must(t, d.RecordView(ctx, view(sec(210), again)))
	failed := with(running(2, t0, sec(10)), func(j *slurm.Job) { j.State, j.End, j.GresDetail = "NODE_FAIL", sec(100), nil })
	if runs, err := predictions.FinishedJobs(d.Predictions, ctx, testCluster, sec(300)); err != nil || len(runs) != 0 {
		t.Fatalf("%+v, %v from jobs that are not over", runs, err)
	}
	done := with(again, func(j *slurm.Job) { j.State, j.End, j.GresDetail = "COMPLETED", sec(500), nil })
	must(t, d.RecordView(ctx, view(sec(510), done, failed)))
	runs, err := predictions.FinishedJobs(d.Predictions, ctx, testCluster, sec(600))
	must(t, err)
	if len(runs) != 1 {
		t.Fatalf("%+v", runs)
	}
	r := runs[0]
	first := dbtest.CountRows(t, d.DB, "select generate_series(1, extract(epoch from ended - started)::int) from fairbridge.job_runs where job = 1 and restarts = 0")
	if want := time.Duration(first)*time.Second + 300*time.Second; first == 0 || r.Ran != want || !r.Start.Equal(sec(10)) || !r.End.Equal(sec(500)) || r.GPUType != "a100" || r.GPUs != 4 || r.Limit != time.Hour {
		t.Errorf("learns %+v, want %v in all", r, want)
	}
}

// A gang over two types of GPU counts as the type it had most of, whichever row comes first.
func TestMixedGangIsLearntAsTheTypeItHadMostOf(t *testing.T) {
	for _, most := range []string{"a100", "v100"} {
		d := fresh(t)
		other := map[string]string{"a100": "v100", "v100": "a100"}[most]
		run := with(running(1, t0, sec(10)), func(j *slurm.Job) {
			j.Nodes = slurm.ReadHosts("n[1-2]")
			mixGPUs(j, other, most)
		})
		must(t, d.RecordView(t.Context(), view(sec(20), run)))
		done := with(run, func(j *slurm.Job) { j.State, j.End, j.GresDetail = "COMPLETED", sec(500), nil })
		must(t, d.RecordView(t.Context(), view(sec(510), done)))
		runs, err := predictions.FinishedJobs(d.Predictions, t.Context(), testCluster, sec(600))
		must(t, err)
		if len(runs) != 1 || runs[0].GPUType != most || runs[0].GPUs != 5 {
			t.Errorf("four %s and one %s are learnt as %+v", most, other, runs)
		}
	}
}

// mixGPUs gives the job one GPU of one type and four of another.
func mixGPUs(j *slurm.Job, one, four string) {
	j.GresDetail = slurm.ReadGRESDetail([]string{"gpu:" + one + ":1(IDX:0)", "gpu:" + four + ":4(IDX:0-3)"})
	j.AllocatedTRES = slurm.ReadTRES("cpu=8,gres/gpu=5,gres/gpu:" + one + "=1,gres/gpu:" + four + "=4")
}
