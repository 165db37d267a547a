package journal

import (
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/policy"
)

// Array 5 waits as one record of its own id; its task 1 became job 8, ran and was requeued; its
// last task, 3, took the id of the array when it started. Job 9 is of no array.
func TestTasksOfArraysHaveTheirNames(t *testing.T) {
	s := fresh(t)
	insert := func(cluster string, job, submit, array, task int, started string) {
		dbtest.Exec(t, s.DB, `insert into fairbridge.job_runs values ($1, $2, $3, 0, now(), '', 'j', 'u', 'a', '', 'gpu', $4, $5,
			'PENDING', '', '1h', 1, $6::timestamptz, null, false, true, now(), now(), 0)`, cluster, job, submit, array, task, nullIfEmpty(started))
	}
	insert("c1", 5, 100, 5, 0, "")
	insert("c1", 8, 100, 5, 1, "2026-01-01")
	insert("c1", 8, 200, 5, 1, "")
	insert("c1", 9, 100, 0, 0, "2026-01-01")
	insert("c2", 5, 100, 5, 3, "2026-01-01")
	for _, c := range []struct {
		cluster string
		job     policy.JobID
		want    string
	}{{"c1", 5, "5"}, {"c1", 8, "5_1"}, {"c1", 9, "9"}, {"c1", 77, "77"}, {"c2", 5, "5_3"}} {
		if got, err := s.JobAddress(t.Context(), c.cluster, c.job); got != c.want || err != nil {
			t.Errorf("job %d of %s is %q (%v), want %q", c.job, c.cluster, got, err, c.want)
		}
	}
	for _, c := range []struct {
		cluster         string
		task, wantedJob int64
	}{{"c1", 1, 8}, {"c1", 0, 0}, {"c1", 2, 0}, {"c2", 3, 5}} {
		if got, err := s.FindTask(t.Context(), c.cluster, 5, c.task); got != c.wantedJob || err != nil {
			t.Errorf("task %d of %s is job %d (%v), want %d", c.task, c.cluster, got, err, c.wantedJob)
		}
	}
}

func nullIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
