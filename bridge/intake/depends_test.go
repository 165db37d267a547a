package intake

import (
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// TestDependenciesReachPolicies: of waiting jobs, sorted; one that runs waits for none any more.
func TestDependenciesReachPolicies(t *testing.T) {
	spec := sim.JobSpec{User: "ann", Account: "vision", Partition: "gpu", GPUsPerNode: 4, TimeLimit: time.Hour, WorkTime: time.Hour}
	after := spec
	after.Dependency = "afterok:2,afterany:1"
	w := world(t, spec, spec, after)
	v := view(t, w)
	s := AssembleSnapshot(Input{View: v}, preempting("gpu"))
	if got := s.Job(3).DependsOn; !slices.Equal(got, []policy.JobID{1, 2}) {
		t.Errorf("it waits for %v, want 1 and 2", got)
	}
	if got := s.Job(1).DependsOn; got != nil {
		t.Errorf("a job without dependencies waits for %v", got)
	}
}
