package slurm

import (
	"testing"
)

func TestSameRun(t *testing.T) {
	a := Run{Job: 1, Submit: 100, Restarts: 2, SLUID: "s1"}
	for _, tt := range []struct {
		with Run
		want bool
	}{
		{a, true},
		{Run{Job: 1, Submit: 100, Restarts: 2}, true},               // no SLUID to compare
		{Run{Job: 1, Submit: 100, Restarts: 2, SLUID: "s2"}, false}, // the SLUID decides
		{Run{Job: 1, Submit: 100, Restarts: 3}, false},
		{Run{Job: 1, Submit: 101, Restarts: 2}, false},
		{Run{Job: 2, Submit: 100, Restarts: 2, SLUID: "s1"}, false},
	} {
		if got := a.IsSameRun(tt.with); got != tt.want {
			t.Errorf("%+v: %v", tt.with, got)
		}
		if got := tt.with.IsSameRun(a); got != tt.want {
			t.Errorf("%+v, the other way: %v", tt.with, got)
		}
	}
}

func TestViewJob(t *testing.T) {
	v := View{Jobs: []Job{{ID: 2}, {ID: 5}, {ID: 9}}}
	for id, want := range map[int64]bool{1: false, 2: true, 4: false, 5: true, 9: true, 10: false} {
		if j := v.Job(id); (j != nil) != want || want && j.ID != id {
			t.Errorf("job %d: %v", id, j)
		}
	}
}
