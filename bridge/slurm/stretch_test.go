package slurm

import (
	"testing"
	"time"
)

// TestRunStretch: a run that Slurm suspended in the second of its start had no time before it goes on.
func TestRunStretch(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	for _, c := range []struct {
		name   string
		job    Job
		before time.Duration
		since  time.Time
	}{
		{"never suspended", Job{State: "RUNNING", Start: start}, 0, start},
		{
			"suspended",
			Job{State: "SUSPENDED", Start: start, SuspendTime: at(30), PreSuspendTime: 30 * time.Second},
			30 * time.Second, time.Time{},
		},
		{
			"resumed",
			Job{State: "RUNNING", Start: start, SuspendTime: at(50), PreSuspendTime: 30 * time.Second},
			30 * time.Second, at(50),
		},
		{"suspended at its start", Job{State: "SUSPENDED", Start: start, SuspendTime: start}, 0, time.Time{}},
		{"suspended at its start, resumed", Job{State: "RUNNING", Start: start, SuspendTime: at(10)}, 0, at(10)},
		{
			"suspended in an earlier run",
			Job{State: "RUNNING", Start: start, SuspendTime: at(-50), PreSuspendTime: time.Second}, 0, start,
		},
	} {
		if before, since := c.job.RunStretch(); before != c.before || !since.Equal(c.since) {
			t.Errorf("%s: %v before, then since %v; want %v, %v", c.name, before, since, c.before, c.since)
		}
	}
}
