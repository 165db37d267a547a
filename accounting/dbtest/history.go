package dbtest

import (
	"testing"

	"fairbridge/accounting"
)

// FillHistory fills a database with a year of finished runs, closed intents and
// cycles, so that the planner sees tables worth an index.
func FillHistory(t testing.TB, d *accounting.DB, runs int) {
	t.Helper()
	for _, q := range []string{
		`insert into fairbridge.job_runs select 'c1', i, 1700000000 + i * 20, 0, to_timestamp(1700000000 + i * 20), '', 'j', 'u' || i % 300, 'a' || i % 30, '', 'gpu', 0, 0,
		   'COMPLETED', '', '1h', 4, to_timestamp(1700000000 + i * 20), to_timestamp(1700003600 + i * 20), true, true, now(), now(), i from generate_series(1, $1::int) i`,
		`insert into fairbridge.run_segments select 'c1', i, 1700000000 + i * 20, 0, 'n' || i % 500, 'a100', to_timestamp(1700000000 + i * 20), to_timestamp(1700003600 + i * 20), 4, 100,
		   'u' || i % 300, 'a' || i % 30, 'gpu' from generate_series(1, $1::int) i`,
		`insert into fairbridge.intents (cluster, epoch, partition, seq, place, policy, job, submit, restarts, sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, closed)
		   select 'c1', 1, 'gpu', i, 0, 'fifo', i, 1, 0, '', 'begin_time', 'lease', 0, '{}', '', 1, '', '{}', 'EXPIRED', to_timestamp(1700000000 + i * 20), to_timestamp(1700000600 + i * 20) from generate_series(1, $1::int) i`,
		`insert into fairbridge.cycles (cluster, partition, seq, epoch, at, mode, policy, params, digest, plan_digest, decisions, refused, pushed, took)
		   select 'c1', 'gpu', i, 1, to_timestamp(1700000000 + i * 30), 'rank', 'fifo', '{}', '', '', 0, '[]', 0, '{}' from generate_series(1, $1::int) i`,
		`insert into fairbridge.decisions select 'c1', 'gpu', 1 + i % 10000, i, to_timestamp(1700000000 + i * 30), 'wait', 1, 1, '', 0, 'because' from generate_series(1, $1::int) i`,
	} {
		Exec(t, d, q, runs)
	}
	Exec(t, d, "analyze")
}
