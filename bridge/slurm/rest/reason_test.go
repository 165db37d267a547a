package rest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

// TestOldReasonsAreReadAfresh: a job that Slurm had not tried when it was read, and one that
// asks for licences, are read again, those next in line first and not too many; no job that
// runs, is held, is gone or has a federation's id.
func TestOldReasonsAreReadAfresh(t *testing.T) {
	m, states := queueModel{jobByID: map[int64]*slurm.Job{}}, map[int64]string{}
	add := func(j slurm.Job) {
		m.jobByID[j.ID], states[j.ID] = &j, j.State
	}
	add(slurm.Job{ID: 1, State: "PENDING", Reason: "Priority", Priority: 9})
	add(slurm.Job{ID: 2, State: "PENDING", Reason: "None", Priority: 5})
	add(slurm.Job{ID: 3, State: "PENDING", Reason: "Priority", Licenses: "solver:1", Priority: 7})
	add(slurm.Job{ID: 4, State: "RUNNING", Reason: "None", Priority: 9})
	add(slurm.Job{ID: 5, State: "PENDING", Reason: "None", IsHeld: true})
	add(slurm.Job{ID: 6, State: "PENDING", Reason: "None"})
	add(slurm.Job{ID: 1 << 26, State: "PENDING", Reason: "None", Priority: 9})
	delete(states, 6)
	if d := cmp.Diff([]int64{3, 2}, m.jobsWithOldReason(states)); d != "" {
		t.Error(d)
	}
	for id := int64(100); id < 200; id++ {
		add(slurm.Job{ID: id, State: "PENDING", Reason: "None", Priority: 6})
	}
	if got := m.jobsWithOldReason(states); len(got) != maxReasonReads || got[0] != 3 || got[1] != 100 {
		t.Errorf("%d are read, %v first; want %d, 3 and 100 first", len(got), got[:2], maxReasonReads)
	}
}
