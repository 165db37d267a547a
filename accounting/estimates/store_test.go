package estimates_test

import (
	"fmt"
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

var must, t0 = dbtest.RequireNoError, storetest.StartTime

func bandAt(minutes ...int) estimate.Band {
	at := func(i int) time.Time { return t0.Add(time.Duration(minutes[i]) * time.Minute) }
	return estimate.Band{Early: at(0), Middle: at(1), Late: at(2)}
}

// look is one at a job that arrived at t0, with a raw band an hour narrower at each side.
func look(job policy.JobID, slurm time.Time) estimates.Look {
	return estimates.Look{
		Job: &policy.Job{ID: job, Arrive: t0, User: "ann", Account: "phys", Partition: "gpu", SlurmStartEstimate: slurm},
		Raw: estimate.Estimate{Job: job, Start: bandAt(120, 150, 180), End: bandAt(150, 300, 400)}, Estimate: estimate.Estimate{Job: job, Start: bandAt(60, 150, 240), End: bandAt(120, 300, 500)},
		Chance: .5, UncorrectedChance: .4,
	}
}

// pending is the job of a look as Slurm shows it.
func pending(id int64) slurm.Job {
	return storetest.ChangeJob(storetest.NewRunningJob(id, t0, time.Time{}), func(j *slurm.Job) {
		j.State, j.Nodes, j.GresDetail = "PENDING", slurm.ReadHosts(""), slurm.ReadGRESDetail(nil)
	})
}

// No figures stand beside an error: somebody would believe them.
func TestAScoreThatCannotBeReadIsNone(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	d.Close()
	if s, err := d.Score(t.Context(), storetest.ClusterName, "gpu", t0, bandAt(60, 150, 240)); s != nil || err == nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestEstimatesAreKeptAndScored(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	ctx, made := t.Context(), t0.Add(time.Minute)
	must(t, d.RecordView(ctx, storetest.NewView(made, pending(1), pending(2), pending(3))))
	looks := []estimates.Look{look(1, time.Time{}), look(2, t0.Add(10*time.Hour)), look(3, t0.Add(9*time.Hour))}
	for range 2 { // the same again changes nothing
		must(t, d.PutEstimates(ctx, storetest.ClusterName, made, looks))
	}
	must(t, d.RecordView(ctx, storetest.NewView(t0.Add(5*time.Hour), storetest.NewRunningJob(1, t0, t0.Add(160*time.Minute)), storetest.NewRunningJob(2, t0, t0.Add(5*time.Hour)), pending(3))))
	ended := storetest.ChangeJob(storetest.NewRunningJob(1, t0, t0.Add(160*time.Minute)), func(j *slurm.Job) {
		j.State, j.End, j.GresDetail = "COMPLETED", t0.Add(200*time.Minute), nil
	})
	must(t, d.RecordView(ctx, storetest.NewView(t0.Add(5*time.Hour+time.Minute), ended, storetest.NewRunningJob(2, t0, t0.Add(5*time.Hour)), pending(3))))

	got, err := d.EstimateOutcomes(ctx, storetest.ClusterName, "gpu", t0)
	must(t, err)
	start, end := bandAt(120, 150, 180), bandAt(150, 300, 400)
	want := []estimate.Outcome{
		{MadeAt: made, Start: start, Started: t0.Add(160 * time.Minute), End: end, Ended: t0.Add(200 * time.Minute)},
		{MadeAt: made, Start: start, Started: t0.Add(5 * time.Hour), End: end}, {MadeAt: made, Start: start, End: end},
	}
	if len(got) != len(want) {
		t.Fatalf("%d outcomes, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if text := func(o estimate.Outcome) string {
			return fmt.Sprint(o.MadeAt.UTC(), o.Start.Early.UTC(), o.Start.Middle.UTC(), o.Start.Late.UTC(), o.Started.UTC(), o.End.Early.UTC(), o.End.Middle.UTC(), o.End.Late.UTC(), o.Ended.UTC())
		}; text(got[i]) != text(want[i]) {
			t.Errorf("outcome %d: %s,\nwant %s", i, text(got[i]), text(want[i]))
		}
	}
	last, err := d.LastEstimate(ctx, storetest.ClusterName, 3, t0)
	if err != nil || last == nil || !last.MadeAt.Equal(made) || !last.Start.Late.Equal(looks[2].Estimate.Start.Late) || !last.End.Middle.Equal(looks[2].Estimate.End.Middle) {
		t.Errorf("the job that waits: %+v, %v", last, err)
	}
	for job, arrive := range map[policy.JobID]time.Time{1: t0, 3: t0.Add(time.Second), 9: t0} { // it started; another of that id; unknown
		if last, err := d.LastEstimate(ctx, storetest.ClusterName, job, arrive); err != nil || last != nil {
			t.Errorf("job %d: %+v, %v", job, last, err)
		}
	}
	all, err := d.LastEstimates(ctx, storetest.ClusterName, "gpu", t0)
	if err != nil || len(all) != 1 || all[0].Job != 3 || !all[0].Arrive.Equal(t0) || !all[0].MadeAt.Equal(made) || !all[0].End.Late.Equal(looks[2].Estimate.End.Late) {
		t.Errorf("those of all that wait: %+v, %v", all, err)
	}
	if old, err := d.LastEstimates(ctx, storetest.ClusterName, "", made.Add(time.Second)); err != nil || len(old) != 0 {
		t.Errorf("made since a second later: %v, %v", old, err)
	}
	checkScore(t, d, made)
	checkOldLooks(t, d)
	if later, err := d.EstimateOutcomes(ctx, storetest.ClusterName, "gpu", t0.Add(time.Hour)); err != nil || len(later) != 0 {
		t.Errorf("made since an hour later: %v, %v", later, err)
	}
	scores := dbtest.QueryTexts(t, d.DB, `select format('%s horizon %s looks %s held %s early %s late %s error %s, %s with Slurm''s: %s and %s, ends %s held %s early %s late %s error %s', partition, horizon, looks, held, early, late, median_error_s / 60, looks_with_slurm, median_error_with_slurm_s / 60, slurm_median_error_s / 60, ends, end_held, end_early, end_late, end_median_error_s / 60) from fairbridge_v1.estimate_scores`)
	if want := "gpu horizon 3 looks 2 held 0.5 early 0 late 0.5 error 80, 1 with Slurm's: 150 and 300, ends 1 held 1 early 0 late 0 error 100"; len(scores) != 1 || scores[0] != want {
		t.Errorf("scores %q, want %q", scores, want)
	}
	if _, err := d.Prune(ctx, storetest.ClusterName, made.Add(stores.DefaultRetention().Cycles+time.Hour), stores.DefaultRetention()); err != nil || dbtest.CountRows(t, d.DB, "select from fairbridge.job_estimates") != 0 {
		t.Errorf("estimates past their retention are still there, or %v", err)
	}
}

// checkScore wants the score of the horizon of an estimate, and none of another.
func checkScore(t *testing.T, d *stores.Stores, made time.Time) {
	t.Helper()
	got, err := d.Score(t.Context(), storetest.ClusterName, "gpu", made, bandAt(60, 150, 240))
	want := estimates.Score{MoreThan: 3600, AtMost: 6 * 3600, LookCount: 2, HeldPart: .5, LatePart: .5, MedianError: 80 * 60, WithSlurmCount: 1, MedianErrorWithSlurm: 150 * 60, SlurmMedianError: 300 * 60, EndCount: 1, EndHeldPart: 1, EndMedianError: 100 * 60}
	if err != nil || got == nil || *got != want {
		t.Errorf("score %+v, want %+v; %v", got, want, err)
	}
	for _, partition := range []string{"gpu", "other"} {
		if got, err := d.Score(t.Context(), storetest.ClusterName, partition, made, bandAt(1, 2, 3)); err != nil || got != nil {
			t.Errorf("a horizon of partition %s without estimates: %+v, %v", partition, got, err)
		}
	}
}

// checkOldLooks wants no end of looks from before ends were calibrated.
func checkOldLooks(t *testing.T, d *stores.Stores) {
	t.Helper()
	if _, err := d.DB.Exec(t.Context(), "update fairbridge.job_estimates set raw_end_early = null, raw_end_late = null where job = 1"); err != nil {
		t.Fatal(err)
	}
	got, err := d.EstimateOutcomes(t.Context(), storetest.ClusterName, "gpu", t0)
	if err != nil || len(got) != 3 || got[0].End != (estimate.Band{}) || got[1].End == (estimate.Band{}) || got[0].Started.IsZero() {
		t.Errorf("with one from before: %+v, %v", got, err)
	}
}
