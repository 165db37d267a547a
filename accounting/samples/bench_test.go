package samples

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/dbtest"
	"fairbridge/policy"
)

// The site the figures are for: 2,000 nodes of 8 GPUs, sampled every 15 s.
const (
	benchNodes  = 2000
	benchGPUs   = 8
	benchPeriod = 15 * time.Second
)

// round is what one look at all probes of the site shows.
func round(at time.Time) []Reading {
	list := make([]Reading, 0, benchNodes*benchGPUs)
	for n := range benchNodes {
		node := fmt.Sprintf("node%04d", n)
		for g := range benchGPUs {
			i := n*benchGPUs + g
			list = append(list, Reading{
				At: at.Add(time.Duration(n) * time.Millisecond), Node: node, UUID: fmt.Sprintf("GPU-%08x-0000-4000-8000-%012x", n, g), Type: "a100",
				Job: policy.JobID(1 + i/4), Busy: policy.KnownValue(float64(i%101) / 100), MemoryShare: policy.KnownValue(0.5), ValueByColumn: map[string]policy.OptionalValue{"watts": policy.KnownValue(float64(60 + i%340))},
				ProcessCount: policy.KnownValue(1), JobsOnGPU: 1, Throttled: policy.KnownValue(0),
			})
		}
	}
	return list
}

// bareCopy copies the rows into a table without any index, partition or
// constraint: what Postgres and its driver take at least.
func bareCopy(b *testing.B, d *Store, list []Reading, ids []int32) {
	ctx := context.Background()
	days := splitReadingsByDay(list, ids)
	must(b, d.DB.RunTx(ctx, "copying", func(tx pgx.Tx) error {
		for i := range days {
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{"bare"}, readingColumns, &days[i]); err != nil {
				return err
			}
		}
		return nil
	}))
}

// BenchmarkSamples stores rounds of 16,000 readings: ours, and bare, in turn,
// so that both see the same machine. ratio is the time of a bare COPY over
// ours; load is the share of the 15 s between rounds that one takes.
func BenchmarkSamples(b *testing.B) {
	d := fresh(b)
	ctx := context.Background()
	_, err := d.DB.Exec(ctx, "create table bare (like fairbridge.gpu_readings)")
	must(b, err)
	at := t0
	ids, err := d.gpuIDs.lookUpIDs(ctx, d.DB.Pool, testCluster, round(at))
	must(b, err)
	var ours, bare time.Duration
	rows := 0
	for b.Loop() {
		list := round(at)
		at = at.Add(benchPeriod)
		from := time.Now()
		must(b, d.RecordReadings(ctx, testCluster, list))
		ours += time.Since(from)
		from = time.Now()
		bareCopy(b, d, list, ids)
		bare += time.Since(from)
		rows += len(list)
	}
	b.ReportMetric(float64(rows)/ours.Seconds(), "rows/s")
	b.ReportMetric(float64(rows)/bare.Seconds(), "bare-rows/s")
	b.ReportMetric(bare.Seconds()/ours.Seconds(), "ratio")
	b.ReportMetric(100*ours.Seconds()/(float64(b.N)*benchPeriod.Seconds()), "%load")
	var bytes int64
	must(b, d.DB.QueryRow(ctx, "select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'fairbridge.gpu_readings'::regclass").Scan(&bytes))
	b.ReportMetric(float64(bytes)/float64(rows), "B/row")
}

// BenchmarkSamplesAgain stores a round that is stored already, as after an
// outage in which the answer was lost.
func BenchmarkSamplesAgain(b *testing.B) {
	d := fresh(b)
	list := round(t0)
	must(b, d.RecordReadings(context.Background(), testCluster, list))
	for b.Loop() {
		must(b, d.RecordReadings(context.Background(), testCluster, list))
	}
	b.ReportMetric(float64(len(list)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkSamplesRollup rolls up an hour of the site, 3,840,000 readings, and
// the runs that ended in it.
func BenchmarkSamplesRollup(b *testing.B) {
	d := fresh(b)
	ctx := context.Background()
	must(b, d.RecordReadings(ctx, testCluster, round(t0)))
	for n := 1; n < 240; n += 20 {
		_, err := d.DB.Exec(ctx, `insert into fairbridge.gpu_readings select at + n * interval '15 s', job, gpu, busy, mem_used, watts, procs, sharing, sick, throttled
			from fairbridge.gpu_readings, generate_series($2::int, least($2::int + 19, 239)) n where at < $1::timestamptz + interval '10 s'`, t0, n)
		must(b, err)
	}
	_, err := d.DB.Exec(ctx, `insert into fairbridge.job_runs (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, gpus, started, ended, closed, exact, first_seen, last_change, digest)
		select $1, n, 1, 0, $2, '', 'j', 'u', 'a', '', 'gpu', 0, 0, 'COMPLETED', '', 4, $2, $2::timestamptz + interval '50 min', true, true, $2, $2, 0 from generate_series(1, 1000) n`, testCluster, t0)
	must(b, err)
	_, err = d.DB.Exec(ctx, "analyze")
	must(b, err)
	b.Run("hour", func(b *testing.B) {
		for b.Loop() {
			must(b, d.rollupHour(ctx, testCluster, t0))
		}
	})
	b.Run("runs", func(b *testing.B) {
		for b.Loop() {
			must(b, d.RollupRuns(ctx, testCluster, t0, t0.Add(time.Hour)))
		}
	})
	if n := dbtest.CountRows(b, d.DB, "select 1 from fairbridge.gpu_runs where samples between 790 and 810"); n != 1000 {
		b.Errorf("%d runs rolled up", n)
	}
}
