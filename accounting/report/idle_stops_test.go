package report_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/report"
	"fairbridge/bridge"
)

// Requeues because GPUs did no work are counted as the ledger keeps them, and no others: those that were sent in the time, with what
// Slurm refused told apart.
func TestIdleStops(t *testing.T) {
	db, conn, s := summed(t)
	exec(t, conn, "truncate fairbridge.intents")
	stop := func(job int64, kind, state string, after time.Duration, cost bridge.StopCost) {
		t.Helper()
		before, err := json.Marshal(bridge.JobBefore{Stop: &cost})
		must(t, err)
		exec(t, conn, `insert into fairbridge.job_runs (cluster, job, submit, restarts, arrive, sluid, name, user_name, account, qos, partition, array_job, array_task, state, reason, time_limit, gpus, started, ended, closed, exact, first_seen, last_change, digest)
			select 'c1', $1, 1, 0, $2, '', 'x', 'ann', 'a7', 'normal', 'gpu', 0, 0, 'RUNNING', '', interval '1 day', 4, $2, null, false, true, $2, $2, 1`, job, s.Since)
		exec(t, conn, `insert into fairbridge.intents (cluster, partition, seq, place, epoch, policy, job, submit, restarts, sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, sent)
			values ('c1', 'gpu', $1, 0, 1, 'fifo', $1, 1, 0, '', 'requeue', $2, 0, '{}', '', 1, '', $3, $4, $5, $5)`, job, kind, before, state, s.Since.Add(after))
	}
	idle := bridge.StopCost{User: "ann", Account: "a7", GPUs: 4, Beneficiary: 7, Idle: 3 * time.Hour}
	stop(950_001, "requeue", "OBSERVED", 0, idle)
	stop(950_002, "requeue", "OBSERVED", time.Hour, idle)
	stop(950_003, "requeue", "FAILED", time.Hour, idle)
	stop(950_004, "requeue", "OBSERVED", -time.Second, idle)          // before the time
	stop(950_005, "requeue", "OBSERVED", 0, bridge.StopCost{GPUs: 4}) // for another reason
	stop(950_006, "warn", "OBSERVED", 0, idle)
	r, _ := report.FindReport("idle-stops")
	table, err := report.RunReport(t.Context(), db, r, s)
	must(t, err)
	if diff := cmp.Diff([][]any{{"ann", "a7", int64(2), int64(8), 24.0, int64(1)}}, table.Rows); diff != "" {
		t.Error(diff)
	}
}
