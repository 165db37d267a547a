package goodput_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/goodput"
)

// profileFiles are those of a kind of job on two types of GPU.
func profileFiles() map[string]string {
	const steps = "placement,local_bsz,step_time,sync_time\n"
	return map[string]string{
		"p/app/validation-8.csv":    "progress,iteration,metric,grad_sqr,grad_var\n10,10,.5,1,1\n20,20,.6,1,2\n",
		"p/app/validation-16.csv":   "progress,iteration,metric,grad_sqr,grad_var\n11,6,.5,1,1\n21,12,.6,1,2\n",
		"p/app/placements.csv":      steps + "1,4,1,0\n1,8,2,0\n12,8,4,1\n",
		"p/app/scalability.csv":     "num_nodes,num_replicas,local_bsz,step_time,sync_time\n6,12,8,9,1\n",
		"p/app/placements-fast.csv": steps + "1,4,.5,0\n1,8,1,0\n",
		"p/notes.txt":               "no folder\n",
		"some-lookups.csv":          "application,nodes,replicas,local_bsz,step_time_s,sync_time_s\napp,5,9,8,3.5,1\n",
	}
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
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

func TestReadProfiles(t *testing.T) {
	all, err := goodput.ReadProfiles(filepath.Join(writeFiles(t, profileFiles()), "p"))
	if err != nil {
		t.Fatal(err)
	}
	a := all["app"]
	if len(all) != 1 || a == nil || a.InitialBatch != 8 || a.MaxBatch != 16 || a.LeastPerDevice != 4 || a.MostPerDevice != 8 || a.Total() != 20 {
		t.Fatalf("%d profiles, %+v", len(all), a)
	}
	fast := on(1)
	fast[0].Type = "fast"
	b := scaling.Batch{PerDevice: 8}
	for i, want := range []float64{2, 1, 4, 3.5, 9} {
		if got := a.StepSeconds([]policy.Alloc{on(1), fast, on(2, 1), on(2, 2, 2, 2, 1), on(2, 2, 2, 2, 2, 2)}[i], b); got != want {
			t.Errorf("case %d: %g s, want %g", i, got, want)
		}
	}
}

func TestReadBadProfiles(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"p/app/placements.csv", "placement,local_bsz,step_time\n1,4,1\n", "there is no column sync_time"},
		{"p/app/placements.csv", "placement,local_bsz,step_time,sync_time\n1,4,x,0\n", "line 2: column step_time: \"x\" is no number"},
		{"p/app/placements.csv", "placement,local_bsz,step_time,sync_time\n1,4,1,0\n1,8,-2,0\n", "placements.csv: line 3: column step_time: -2: a step takes some time: want more than 0 seconds"},
		{"p/app/placements.csv", "placement,local_bsz,step_time,sync_time\n1,4,1,-.5\n", "placements.csv: line 2: column sync_time: -.5: want 0 seconds or more"},
		{"p/app/scalability.csv", "num_nodes,num_replicas,local_bsz,step_time,sync_time\n6,0,8,9,1\n", "scalability.csv: line 2: column num_replicas: 0: want 1 or more"},
		{"some-lookups.csv", "application,nodes,replicas,local_bsz,step_time_s,sync_time_s\napp,5,9,8,0,1\n", "some-lookups.csv: line 2: column step_time_s: 0: a step"},
		{"p/app/placements.csv", "", "the file is empty"},
		{"p/app/validation-8.csv", "progress,iteration,metric,grad_sqr,grad_var\n10,10,.5,1,1\n", "epochs with batch size"},
		{"p/app/validation-big.csv", "", "its name has no batch size"},
		{"some-lookups.csv", "application\n", "there is no column nodes"},
	} {
		files := profileFiles()
		files[c.file] = c.text
		if _, err := goodput.ReadProfiles(filepath.Join(writeFiles(t, files), "p")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
	if _, err := goodput.ReadProfiles(t.TempDir()); err == nil || !strings.Contains(err.Error(), "one folder for each kind") {
		t.Error(err)
	}
}
