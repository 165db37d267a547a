package estimates_test

import (
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/estimates"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/estimate"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/storetest"
	"fairbridge/policy"
)

// What a job was told first is kept, whatever it is told later, and every way in which it may come out has its name.
func TestPromisesAreKept(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	ctx, made := t.Context(), t0.Add(time.Minute)
	var jobs []slurm.Job
	var looks []estimates.Look
	for id := int64(1); id <= 8; id++ {
		jobs = append(jobs, pending(id))
		l := look(policy.JobID(id), time.Time{})
		l.Job.Deadline, l.UncorrectedChance = t0.Add(5*time.Hour), .4+float64(id)/100
		if id == 8 {
			l.Job.Deadline = time.Time{}
		}
		looks = append(looks, l)
	}
	must(t, d.RecordView(ctx, storetest.NewView(made, jobs...)))
	for range 2 {
		must(t, d.PutEstimates(ctx, storetest.ClusterName, made, looks))
	}
	looks[5].Job.Deadline = t0.Add(90 * time.Hour)
	must(t, d.PutEstimates(ctx, storetest.ClusterName, made.Add(time.Hour), looks))
	finished := func(id int64, state string, hours time.Duration) slurm.Job {
		return storetest.ChangeJob(storetest.NewRunningJob(id, t0, t0.Add(2*time.Hour)), func(j *slurm.Job) {
			j.State, j.End, j.GresDetail = state, t0.Add(hours*time.Hour), nil
		})
	}
	var running []slurm.Job
	for id := int64(1); id <= 5; id++ {
		running = append(running, storetest.NewRunningJob(id, t0, t0.Add(2*time.Hour)))
	}
	must(t, d.RecordView(ctx, storetest.NewView(t0.Add(3*time.Hour), append(running, pending(6), pending(7), pending(8))...)))
	open, err := d.Promise(ctx, storetest.ClusterName, 7, t0)
	must(t, err)
	if open.Outcome != "open" || !open.MadeAt.Equal(made) || !open.Deadline.Equal(t0.Add(5*time.Hour)) || open.Chance != .5 {
		t.Errorf("%+v", open)
	}
	must(t, d.RecordView(ctx, storetest.NewView(t0.Add(8*time.Hour), finished(1, "COMPLETED", 4), finished(2, "COMPLETED", 6), finished(3, "CANCELLED", 4), finished(4, "TIMEOUT", 4), finished(5, "FAILED", 4), pending(6), pending(7), pending(8))))
	for id, want := range map[policy.JobID]string{1: "met", 2: "late", 3: "cancelled", 4: "timeout", 5: "failed", 6: "changed", 7: "late"} {
		p, err := d.Promise(ctx, storetest.ClusterName, id, t0)
		must(t, err)
		if p == nil || p.Outcome != want || p.Chance != open.Chance {
			t.Errorf("job %d: %+v, want %s", id, p, want)
		}
	}
	if p, err := d.Promise(ctx, storetest.ClusterName, 8, t0); p != nil || err != nil {
		t.Errorf("one without a deadline: %+v, %v", p, err)
	}
	// What came of them corrects what is told next: of those of which something is said, in the order in which they were due.
	got, err := d.ReadCalibration(ctx, storetest.ClusterName, "gpu", t0.Add(9*time.Hour))
	must(t, err)
	past, err := d.EstimateOutcomes(ctx, storetest.ClusterName, "gpu", t0)
	must(t, err)
	want := estimate.NewCalibration(past, t0.Add(9*time.Hour))
	want.LearnPromises([]estimate.PromiseOutcome{{Uncorrected: .41, IsMet: true}, {Uncorrected: .42}, {Uncorrected: .44}, {Uncorrected: .45}, {Uncorrected: .47}})
	if *got != *want {
		t.Errorf("learnt %+v, want %+v", got, want)
	}
	for name, c := range map[string]struct {
		partition string
		now       time.Time
	}{"another partition": {"cpu", t0.Add(9 * time.Hour)}, "before they were due": {"gpu", t0.Add(5 * time.Hour)}, "long after": {"gpu", t0.Add(200 * 24 * time.Hour)}} {
		got, err := d.ReadCalibration(ctx, storetest.ClusterName, c.partition, c.now)
		must(t, err)
		told := got.Chances(t0, bandAt(60, 120, 240), estimate.RunTime{})
		assumed := (&estimate.Calibration{}).Chances(t0, bandAt(60, 120, 240), estimate.RunTime{})
		if at := t0.Add(90 * time.Minute); told.By(at) != assumed.By(at) {
			t.Errorf("%s: %v, want %v", name, told.By(at), assumed.By(at))
		}
	}
}

// A deadline that its owner changes or drops while the job runs has the promise's outcome changed, also once it is done; one
// that is changed after the promise was due leaves it late.
func TestDeadlinesChangedWhileRunning(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	ctx, made, due := t.Context(), t0.Add(time.Minute), t0.Add(5*time.Hour)
	var waits, runs, done []slurm.Job
	var looks []estimates.Look
	var jobs []*policy.Job
	for id := int64(1); id <= 4; id++ {
		l := look(policy.JobID(id), time.Time{})
		l.Job.Deadline = due
		waits, looks, jobs = append(waits, pending(id)), append(looks, l), append(jobs, l.Job)
		run := storetest.NewRunningJob(id, t0, t0.Add(2*time.Hour))
		runs = append(runs, run)
		done = append(done, storetest.ChangeJob(run, func(j *slurm.Job) { j.State, j.End, j.GresDetail = "COMPLETED", t0.Add(6*time.Hour), nil }))
	}
	must(t, d.RecordView(ctx, storetest.NewView(made, waits...)))
	must(t, d.PutEstimates(ctx, storetest.ClusterName, made, looks))
	must(t, d.RecordView(ctx, storetest.NewView(t0.Add(3*time.Hour), runs...)))
	jobs[1].Deadline, jobs[2].Deadline = due.Add(4*time.Hour), time.Time{}
	must(t, d.NoteDeadlines(ctx, storetest.ClusterName, t0.Add(3*time.Hour), jobs))
	outcomes := func(when string, want ...string) {
		for i, outcome := range want {
			p, err := d.Promise(ctx, storetest.ClusterName, policy.JobID(i+1), t0)
			must(t, err)
			if p == nil || p.Outcome != outcome || !p.Deadline.Equal(due) || !p.MadeAt.Equal(made) {
				t.Errorf("%s, job %d: %+v, want %s", when, i+1, p, outcome)
			}
		}
	}
	outcomes("while they run", "open", "changed", "changed", "open")
	jobs[3].Deadline = due.Add(9 * time.Hour)
	must(t, d.NoteDeadlines(ctx, storetest.ClusterName, due.Add(time.Minute), jobs))
	must(t, d.PutEstimates(ctx, storetest.ClusterName, due.Add(time.Minute), looks[3:]))
	must(t, d.RecordView(ctx, storetest.NewView(t0.Add(7*time.Hour), done...)))
	outcomes("once they are done", "late", "changed", "changed", "late")
}
