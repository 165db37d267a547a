package speeds_test

import (
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/policy"
)

// requeue stores that a job's run of so many restarts was requeued by us at a minute; state is what came of it.
func requeue(t *testing.T, d *stores.Stores, job int64, restarts, minute int, state string) {
	t.Helper()
	at := t0.Add(time.Duration(minute) * time.Minute)
	_, err := d.Exec(t.Context(), `insert into fairbridge.intents (cluster, epoch, partition, place, policy, job, submit, restarts, sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, sent, observed, closed)
		values ($1, 1, 'gpu', 1, 'ref', $2, 1, $3, '', 'run', 'requeue', 0, '{}', '', 1, 'so', '{}', $4, $5, $5, case when $4 = 'FAILED' then null else $5::timestamptz end, $5)`, cluster, job, restarts, state, at)
	must(t, err)
}

// afterRestart is a report of a run that could start two minutes after the minute of its requeue and had run so long.
func afterRestart(job policy.JobID, restarts, minute int, ran time.Duration, steps float64) bridge.SpeedReport {
	r := report(job, minute+60, 4, steps)
	r.Begin = &bridge.RunBegin{Account: "vision", Restarts: restarts, EligibleAt: t0.Add(time.Duration(minute+2) * time.Minute), RanFor: ran}
	return r
}

func restartCost(t *testing.T, d *stores.Stores, j policy.Job) bridge.RestartCost {
	t.Helper()
	past, err := d.Past(t.Context(), cluster, t0.Add(24*time.Hour))
	must(t, err)
	if past.RestartCostOf == nil {
		return bridge.RestartCost{}
	}
	return past.RestartCostOf(&j)
}

// TestRestartsAreMeasured: a requeue of ours costs the time until the job could start again and that until it reported the
// speed it had; the greatest of the few of a class counts, of another class of the account the account's.
func TestRestartsAreMeasured(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{report(7, 0, 4, 10)}))
	for i, ran := range []time.Duration{time.Minute, 3 * time.Minute, 2 * time.Minute} {
		minute := 100 * (i + 1)
		requeue(t, d, 7, i, minute, "OBSERVED")
		must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{afterRestart(7, i+1, minute, ran/2, 5)})) // not yet as fast as it was
		must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{afterRestart(7, i+1, minute, ran, 10)}))
		must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{afterRestart(7, i+1, minute, ran+time.Hour, 10)})) // counts once
	}
	train := policy.Job{ID: 9, User: "ann", Name: "train", Account: "vision"}
	if got, want := restartCost(t, d, train), (bridge.RestartCost{Cost: 5 * time.Minute, Count: 3, Whose: "jobs named train"}); got != want {
		t.Errorf("of its class %+v, want %+v", got, want)
	}
	if got, want := restartCost(t, d, policy.Job{ID: 9, User: "bob", Class: "other", Account: "vision"}), (bridge.RestartCost{Cost: 5 * time.Minute, Count: 3, Whose: "account vision"}); got != want {
		t.Errorf("of its account %+v, want %+v", got, want)
	}
	if got := restartCost(t, d, policy.Job{ID: 9, User: "bob", Name: "train", Account: "physics"}); got.Cost != 0 {
		t.Errorf("of strangers %+v", got)
	}
}

// TestWhatIsNoMeasure: restarts that were not ours, or failed, are none, nor is one after which the job says nothing for
// hours; and two do not tell.
func TestWhatIsNoMeasure(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	for job := range int64(2) {
		requeue(t, d, job+1, 0, 100, "OBSERVED")
		must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{afterRestart(policy.JobID(job+1), 1, 100, time.Minute, 10)}))
	}
	requeue(t, d, 3, 0, 100, "FAILED")
	requeue(t, d, 4, 0, 100, "OBSERVED")
	requeue(t, d, 5, 1, 100, "OBSERVED")
	unlike := []bridge.SpeedReport{afterRestart(3, 1, 100, time.Minute, 10), afterRestart(4, 1, 100, 7*time.Hour, 10), afterRestart(5, 1, 100, time.Minute, 10), afterRestart(6, 1, 100, time.Minute, 10)}
	must(t, d.RecordSpeeds(t.Context(), cluster, unlike))
	j := policy.Job{ID: 9, User: "ann", Name: "train", Account: "vision"}
	if got := restartCost(t, d, j); got.Cost != 0 {
		t.Errorf("told %+v", got)
	}
	requeue(t, d, 8, 0, 100, "OBSERVED")
	must(t, d.RecordSpeeds(t.Context(), cluster, []bridge.SpeedReport{afterRestart(8, 1, 100, 90*time.Second, 10)}))
	d = stores.New(d.DB) // reads anew
	if got := restartCost(t, d, j); got.Cost != 210*time.Second || got.Count != 3 {
		t.Errorf("three of its class tell %+v", got)
	}
}
