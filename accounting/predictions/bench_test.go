package predictions_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/predictions"
	"fairbridge/policy"
)

const million = 1_000_000

// BenchmarkLearnMillion fits a model to a million runs of half a year, from
// Postgres, and asks it about 10,000 jobs, first anew and then again.
func BenchmarkLearnMillion(b *testing.B) {
	d := fresh(b)
	ctx := b.Context()
	must(b, d.RunLongTx(ctx, "filling", func(tx pgx.Tx) error {
		for _, q := range []string{
			`set local session_replication_role = replica`, // no marks for reports
			`insert into fairbridge.job_runs select 'c1', i, extract(epoch from t.at)::bigint, 0, t.at, '', 'train-' || u * 7 % 30, 'u' || u, 'a' || u % 30, '', 'gpu', 0, 0,
			   'COMPLETED', '', make_interval(hours => 1 + i % 48), (1 << (u % 5)), t.at, t.at + make_interval(secs => 60 + (i::bigint * 7919 % 3600) * (1 + u % 10)), true, true, now(), now(), i
			   from generate_series(1, ` + fmt.Sprint(million) + `) i, lateral (select (i::bigint * 48271 % 2000)::int as u, timestamptz '` + t0.Format(time.RFC3339) + `' - interval '170 days' + i * interval '14 seconds' as at) t`,
			`insert into fairbridge.run_segments select cluster, job, submit, restarts, 'n' || job % 500, 'h100', started, ended, gpus, 100, user_name, account, partition from fairbridge.job_runs`,
			`analyze fairbridge.job_runs`, `analyze fairbridge.run_segments`,
		} {
			if _, err := tx.Exec(ctx, q); err != nil {
				return err
			}
		}
		return nil
	}))
	jobs := make([]policy.Job, 10_000)
	for i := range jobs {
		jobs[i] = policy.Job{User: fmt.Sprint("u", i%2000), Name: fmt.Sprint("train-", i%30), Ask: policy.Ask{GPUs: policy.GPUs{Count: 1 << (i % 5)}}, Limit: time.Duration(1+i%48) * time.Hour}
	}
	for b.Loop() {
		from := time.Now()
		runs, err := predictions.FinishedJobs(d.Predictions, ctx, testCluster, t0)
		must(b, err)
		b.ReportMetric(time.Since(from).Seconds(), "s-reading")

		got, err := d.Learn(ctx, testCluster, t0)
		must(b, err)
		if got.RunCount != len(runs) {
			b.Fatal(got)
		}
		b.ReportMetric(float64(got.RunCount), "runs")
		from = time.Now()
		past, err := d.Past(ctx, testCluster, t0)
		must(b, err)
		b.ReportMetric(time.Since(from).Seconds(), "s-past-first")
		for _, what := range []string{"ms-10k-anew", "ms-10k-again"} {
			from = time.Now()
			for i := range jobs {
				past.PredictTimeLeft(&jobs[i])
			}
			b.ReportMetric(time.Since(from).Seconds()*1000, what)
		}
	}
}
