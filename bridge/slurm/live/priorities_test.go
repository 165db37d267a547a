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
	script := "#!/bin/sh\nprintf '1 -274 4059\\n2 0 11000\\n3 5 300\\n3 5 200\\n4 7 9000\\n'\n"
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
	old.CanWriteSiteFactor = false // 22.05, where every poll reads all records
	if AddPriorities(t.Context(), scontrol.Command{filepath.Join(dir, "scontrol")}, old); old.Jobs[0].Priority != 10726 {
		t.Errorf("priority %d where sprio is not asked", old.Jobs[0].Priority)
	}
}
