package rest

import (
	"context"
	"slices"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

// Who only looks gives the next poll no work; who goes by what was read does.
func TestPeekingGivesPollsNoWork(t *testing.T) {
	q := &queue{version: 45, jobs: map[int64]string{1: "PENDING", 2: "PENDING", 3: "RUNNING"}}
	c := open(t, q, PollConfig{FullEvery: time.Hour})
	for _, read := range []struct {
		with func(context.Context, int64) (slurm.Job, error)
		want bool
	}{{c.PeekJob, false}, {c.RereadJob, true}} {
		observe(t, c)
		if j, err := read.with(t.Context(), 1); err != nil || j.ID != 1 {
			t.Fatalf("%+v, %v", j, err)
		}
		q.took()
		observe(t, c)
		calls := q.took()
		if got := slices.Contains(calls, "job/1"); got != read.want {
			t.Errorf("the next poll: %v, reads the job again: %t", calls, got)
		}
	}
}
