package reminders_test

import (
	"testing"

	"fairbridge/accounting/dbtest"
	store "fairbridge/accounting/reminders"
)

// BenchmarkReadState reads what a look needs of 2,048 GPUs that were read every 30 seconds, every fourth of them idle.
func BenchmarkReadState(b *testing.B) {
	db := dbtest.NewDB(b)
	dbtest.Exec(b, db, "select fairbridge.add_sample_day(($1::timestamptz at time zone 'UTC')::date)", noon)
	dbtest.Exec(b, db, "insert into fairbridge.gpus (id, cluster, node, uuid, gpu_type) overriding system value select k, 'c1', 'n' || k / 8, 'g' || k, 'a100' from generate_series(1, 2048) k")
	dbtest.Exec(b, db, `insert into fairbridge.job_runs (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, time_limit, gpus, started, ended, closed, exact, first_seen, last_change, digest)
		select 'c1', k, 1, 0, $1::timestamptz - interval '5 hours', '', 'x', 'u' || k % 50, 'vision', 'normal', 'gpu', 0, 0, 'RUNNING', '', interval '1 day', 8, $1::timestamptz - interval '4 hours', null, false, true, $1, $1, 1 from generate_series(0, 256) k`, noon)
	dbtest.Exec(b, db, "insert into fairbridge.gpu_readings (at, job, gpu, busy, procs, sharing, sick) select $1::timestamptz - m * interval '30 seconds', k / 8, k, case when k % 32 < 8 then 0 else 0.9 end, 1, 1, false from generate_series(0, 59) m, generate_series(8, 2048) k", noon)
	dbtest.Exec(b, db, "analyze")
	s := &store.Store{DB: db}
	for b.Loop() {
		x, err := s.ReadState(b.Context(), "c1", noon)
		must(b, err)
		if len(x.Readings) < 500 {
			b.Fatalf("%d readings", len(x.Readings))
		}
	}
}
