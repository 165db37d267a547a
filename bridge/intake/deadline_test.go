package intake

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// TestDeadlinesOfOwners: what an owner says counts within bounds, and no later than Slurm's own.
func TestDeadlinesOfOwners(t *testing.T) {
	v := view(t, world(t, sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", TimeLimit: time.Hour, WorkTime: time.Hour, GPUsPerNode: 1}))
	j := v.Job(1)
	partition := preempting("gpu")
	partition.DeadlineBudgets = []policy.DeadlineBudget{{Account: "vision", Weekly: 3600}}
	for name, c := range map[string]struct {
		owner, slurms time.Duration // after the submission; 0: none
		want          time.Duration
		says          string // "": all counts
	}{
		"none":            {0, 0, 0, ""},
		"the owner's":     {5 * time.Hour, 0, 5 * time.Hour, ""},
		"Slurm's":         {0, 5 * time.Hour, 5 * time.Hour, ""},
		"the earlier":     {2 * time.Hour, 5 * time.Hour, 2 * time.Hour, ""},
		"not after death": {6 * time.Hour, 5 * time.Hour, 5 * time.Hour, "deadline does not count: Slurm kills the job before"},
		"in the past":     {-time.Hour, 0, 0, "is before the job was submitted"},
		"too far":         {9000 * time.Hour, 0, 0, "is more than a year after"},
	} {
		after := func(d time.Duration) time.Time {
			if d == 0 {
				return time.Time{}
			}
			return j.Submit.Add(d)
		}
		j.Directive, j.Deadline = slurm.Directive{Deadline: after(c.owner), DeadlineValue: 3, SoftDeadline: true}, after(c.slurms)
		s := AssembleSnapshot(Input{View: v}, partition)
		got := s.Job(1)
		isOwners := c.says == "" && c.owner != 0
		if !got.Deadline.Equal(after(c.want)) || got.SoftDeadline != isOwners || (got.DeadlineValue == 3) != isOwners {
			t.Errorf("%s: %v, value %v, soft %v", name, got.Deadline.Sub(j.Submit), got.DeadlineValue, got.SoftDeadline)
		}
		if !strings.Contains(got.IgnoredReason, c.says) || c.says == "" && got.IgnoredReason != "" {
			t.Errorf("%s: %q", name, got.IgnoredReason)
		}
		if d := cmp.Diff(partition.DeadlineBudgets, s.DeadlineBudgets); d != "" {
			t.Error(d)
		}
	}
}
