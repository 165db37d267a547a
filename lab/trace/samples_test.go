package trace_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/lab/trace"
)

// TestReleases reads what Slurm of several releases says of its jobs. All of it
// must be understood, whether there are jobs for us in it or not.
func TestReleases(t *testing.T) {
	files, err := filepath.Glob("../../../shared/slurm-samples/*-jobs.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the samples of Slurm are not here")
	}
	read := 0
	for _, f := range files {
		if strings.Contains(f, "dbjobs") {
			continue
		}
		tr, err := trace.ReadFile(f, trace.ReadOptions{Format: "squeue-json"})
		switch {
		case err != nil && !strings.Contains(err.Error(), "no jobs in it"):
			t.Error(err)
		case err == nil:
			read += len(tr.Jobs)
		}
		t.Logf("%s: %v", filepath.Base(f), err)
	}
	if read == 0 {
		t.Error("no job read from any release")
	}
}
