package slurm_test

import (
	"testing"

	"fairbridge/bridge/slurm"
)

func TestAddress(t *testing.T) {
	for want, j := range map[string]slurm.Job{
		"":                                 {ID: 4711},
		"47_4":                             {ID: 60, ArrayJobID: 47, IsArrayTask: true, ArrayTaskID: 4},
		"47_[5-9%2]":                       {ID: 47, ArrayJobID: 47, ArrayTasks: slurm.ReadArrayTasks("5-9%2")},
		"47_[1,3,5,7,9,11,13,15,17,19...]": {ID: 47, ArrayJobID: 47, ArrayTasks: slurm.ReadArrayTasks("1,3,5,7,9,11,13,15,17,19,21,23,25,27,29")},
		"7+1":                              {ID: 8, HetJobID: 7, HetJobOffset: 1},
	} {
		if got := j.Address(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
