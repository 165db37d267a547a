package rest

import (
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
)

// A release lists states where the version that came with it does.
func TestListsStatesAsTheTableOfVersions(t *testing.T) {
	for _, api := range apiTable {
		first, _, _ := strings.Cut(api.ReleaseRange, "–")
		if slurm.ListsStates(first+".0") != api.ListsStates {
			t.Errorf("%s, which came with %s, lists states: %t; slurm.ListsStates says otherwise", api.Name(), first, api.ListsStates)
		}
	}
}

// TestAJobThatMovedWhileItWasReadIsReadAgain: it was listed as pending, its record shows it running, and it is requeued before
// the next poll lists it as pending again.
func TestAJobThatMovedWhileItWasReadIsReadAgain(t *testing.T) {
	for name, c := range map[string]struct {
		listed string
		record slurm.Job
		again  bool
	}{
		"it started":           {"PENDING", slurm.Job{State: "RUNNING"}, true},
		"it began to end":      {"RUNNING", slurm.Job{State: "RUNNING", Flags: []string{"COMPLETING"}}, true},
		"it stood still":       {"RUNNING", slurm.Job{State: "RUNNING"}, false},
		"it is being set up":   {" RUNNING+CONFIGURING", slurm.Job{State: "RUNNING", Flags: []string{"CONFIGURING"}}, false},
		"tasks of an array":    {" PENDING:4-9 PENDING:12", slurm.Job{State: "PENDING"}, false},
		"one of them started":  {" PENDING:4-9 RUNNING:10", slurm.Job{State: "PENDING"}, true},
		"its record is broken": {"RUNNING", slurm.Job{UntrustedReason: "no state"}, false},
	} {
		read := map[int64]*slurm.Job{1: &c.record}
		m := queueModel{}.update(map[int64]string{1: c.listed}, []int64{1}, read)
		if ids := m.staleJobIDs(map[int64]string{1: c.listed}, nil); len(ids) == 1 != c.again {
			t.Errorf("%s: read again %v", name, ids)
		}
	}
}
