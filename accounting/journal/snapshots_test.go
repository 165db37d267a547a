package journal

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/policy"
)

// TestSeenJobs: who ran is known as last seen running, who was kept back with the last time,
// and a number used again is another job.
func TestSeenJobs(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 2, 0, minute, 0, 0, time.UTC) }
	pending := func(id policy.JobID, held string) policy.Job {
		return policy.Job{ID: id, State: policy.Pending, Arrive: at(0), HeldReason: held}
	}
	running := func(id policy.JobID, arrive int) policy.Job {
		return policy.Job{ID: id, State: policy.Running, Arrive: at(arrive), Class: "c"}
	}
	seen := seenJobs{}
	for _, s := range []seenSnapshot{
		{at(1), []policy.Job{pending(1, "waits"), pending(2, ""), pending(3, "waits"), pending(4, "waits")}},
		{at(2), []policy.Job{pending(1, "waits"), running(2, 0), pending(3, "held"), running(4, 2)}},
		{at(3), []policy.Job{running(1, 0), running(2, 0)}},
	} {
		seen.add(&s)
	}
	first := running(1, 0)
	first.HeldReason, first.EligibleAt = "waits", at(2)
	want := seenJobs{
		1: first, 2: running(2, 0), 4: running(4, 2),
		3: {ID: 3, Arrive: at(0), UnstoppableReason: "it was not seen running", HeldReason: "held", EligibleAt: at(2)},
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("seen (-want +got):\n%s", d)
	}
}
