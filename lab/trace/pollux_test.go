package trace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/lab/trace"
)

// polluxFolder has a workload and the profile of its one application.
func polluxFolder(t *testing.T, jobs string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"workload-1.csv":                 "name,time,application,num_replicas,batch_size\n" + jobs,
		"profiles/app/validation-8.csv":  "progress,iteration,metric,grad_sqr,grad_var\n100,100,.5,1,1\n",
		"profiles/app/validation-16.csv": "progress,iteration,metric,grad_sqr,grad_var\n100,60,.5,1,1\n",
		"profiles/app/placements.csv":    "placement,local_bsz,step_time,sync_time\n1,4,1,0\n1,8,2,0\n2,4,1,0\n2,8,2,0\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestReadPollux(t *testing.T) {
	folder := polluxFolder(t, "app-0,107,app,2,16\napp-1,110,app,1,8\n")
	path, profiles := filepath.Join(folder, "workload-1.csv"), filepath.Join(folder, "profiles")
	tr, err := trace.ReadFile(path, trace.ReadOptions{ProfilesPath: profiles})
	if err != nil {
		t.Fatal(err)
	}
	j := tr.Jobs[0]
	if tr.Format != "pollux" || len(tr.Jobs) != 2 || j.Name != "app-0" || j.Arrive != 107 || j.GPUs != 2 || j.MinGPUs != 1 || j.Class != "app" {
		t.Errorf("format %s, %d jobs, %+v", tr.Format, len(tr.Jobs), j)
	}
	// Two of 8 samples each take 2 s, and a batch twice as large is worth 4/3 of one.
	if want := 100 / (4. / 3) * 2; j.Goodput.BatchSize != 16 || j.Duration < want-1e-9 || j.Duration > want+1e-9 {
		t.Errorf("batch %d, %g s, want 16 and %g", j.Goodput.BatchSize, j.Duration, want)
	}
	if _, err := trace.ReadFile(path, trace.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "say --profiles") {
		t.Errorf("without profiles: %v", err)
	}
}

func TestReadBadPollux(t *testing.T) {
	for row, want := range map[string]string{
		"a,1,other,1,8\n": "workload-1.csv:2: application: \"other\" has no profile; there are app",
		"a,1,app,1,17\n":  "workload-1.csv:2: batch_size: 17, want 1 to 16",
		"a,1,app,9,8\n":   "workload-1.csv:2: batch_size: 8 samples cannot be divided among 9 GPUs",
		"a,x,app,1,8\n":   "workload-1.csv:2: time: \"x\" is no number",
		"a,1,app,0,8\n":   "workload-1.csv:2: gpus: 0, want at least 1",
	} {
		folder := polluxFolder(t, row)
		_, err := trace.ReadFile(filepath.Join(folder, "workload-1.csv"), trace.ReadOptions{ProfilesPath: filepath.Join(folder, "profiles")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", row, err, want)
		}
	}
}
