package live

import (
	"path/filepath"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/scripts/executable"
)

// TestPrioritiesAreOfThisMoment: the record of a job that a poll did not read again may be minutes old; what
// sprio shows is not. Held jobs and those of several partitions keep what their record says.
func TestPrioritiesAreOfThisMoment(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' '1 -274 0 4059' '2 0 0 11000' '3 5 0 300' '3 5 0 200' '4 7 0 9000'\n"
	if err := executable.Write(filepath.Join(dir, "sprio"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	view := func() *slurm.View {
		return &slurm.View{CanWriteSiteFactor: true, Jobs: []slurm.Job{
			{ID: 1, State: "PENDING", Priority: 10726}, {ID: 2, State: "PENDING", IsHeld: true}, {ID: 3, State: "PENDING", Priority: 250},
			{ID: 4, State: "RUNNING", Priority: 8000}, {ID: 5, State: "PENDING", Priority: 6000},
		}}
	}
	v := view()
	AddPriorities(t.Context(), scontrol.Command{filepath.Join(dir, "scontrol")}, v)
	for i, want := range []struct {
		priority, siteFactor int64
		known                bool
	}{{4059, -274, true}, {0, 0, true}, {250, 5, true}, {8000, 0, false}, {6000, 0, false}} {
		if j := v.Jobs[i]; j.Priority != want.priority || j.SiteFactor != want.siteFactor || j.IsSiteFactorKnown != want.known {
			t.Errorf("job %d: priority %d, site factor %d (%v), want %+v", j.ID, j.Priority, j.SiteFactor, j.IsSiteFactorKnown, want)
		}
	}
	old := view()
	old.CanWriteSiteFactor = false // 22.05
	AddPriorities(t.Context(), scontrol.Command{filepath.Join(dir, "scontrol")}, old)
	if j := old.Jobs[0]; j.Priority != 4059 || j.IsSiteFactorKnown {
		t.Errorf("without site factors to write: priority %d, site factor known %v", j.Priority, j.IsSiteFactorKnown)
	}
}

// TestAPriorityThatBackfillPutBackIsSeen: sprio adds up the factors, the record shows the priority that Slurm uses.
// A record of an earlier poll proves nothing, nor does one that rounds otherwise.
func TestAPriorityThatBackfillPutBackIsSeen(t *testing.T) {
	for _, tt := range []struct {
		name        string
		record, sum int64
		whole       bool
		reread      []int64
		held, want  bool
		nice        int64 // by how much sprio's is not the record's
		hidden      bool
	}{
		{"put back", 12_000, 13_000, true, nil, false, true, 0, false},
		{"put back, and lower is right", 13_000, 12_000, false, []int64{7, 9}, false, true, 0, false},
		{"as the factors make it", 13_000, 13_000, true, nil, false, false, 0, false},
		{"rounded", 13_001, 13_000, true, nil, false, false, 0, false},
		{"moved by scontrol top", 12_000, 13_000, true, nil, false, false, -1_000, false},
		{"a nice that is not shown", 12_000, 13_000, true, nil, false, false, 0, true},
		{"an old record", 12_000, 13_000, false, []int64{9}, false, false, 0, false},
		{"held", 0, 13_000, true, nil, true, false, 0, false},
		{"in several partitions", 12_000, 0, true, nil, false, false, 0, false},
	} {
		job := slurm.Job{ID: 7, State: "PENDING", Priority: tt.record, IsHeld: tt.held, Nice: 5}
		job.IsNiceKnown = !tt.hidden
		v := &slurm.View{IsFullRead: tt.whole, RereadJobs: tt.reread, Jobs: []slurm.Job{job}}
		shown := scontrol.JobPriority{Priority: tt.sum, Nice: 5 + tt.nice}
		if ok := addPriority(v, &v.Jobs[0], shown); ok == tt.hidden {
			t.Errorf("%s: clear %v", tt.name, ok)
		}
		if got := v.Jobs[0].IsPriorityUndone; got != tt.want {
			t.Errorf("%s: undone %v, want %v", tt.name, got, tt.want)
		}
	}
}
