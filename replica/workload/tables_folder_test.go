package workload_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/replica/workload"
)

// folder writes a folder with the table of a model.
func folder(t *testing.T, table string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "speeds_A100")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "bert.csv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSpeedFolder(t *testing.T) {
	tables, err := workload.ReadSpeedTables(folder(t, "global_batch_size,1,2,4,8\n2,3,5,6,\n8,1,1.9,nan,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	j := workload.Job{Class: "bert (batch size 2)", GPUs: 1, Training: &workload.Training{Model: "bert", BatchSize: 2}}
	if tables.LetResize(&j); j.MinGPUs != 1 || j.MaxGPUs != 2 || len(j.Scaling.Points) != 3 || j.Scaling.Points[1].StepsPerSecond != 5 {
		t.Errorf("a job of batch size 2 runs on %d to %d GPUs at %+v", j.MinGPUs, j.MaxGPUs, j.Scaling)
	}
	wide := workload.Job{Class: "bert (batch size 2)", GPUs: 4, Training: j.Training}
	if tables.LetResize(&wide); wide.MaxGPUs != 4 {
		t.Errorf("it asks for 4 GPUs and runs on up to %d", wide.MaxGPUs)
	}
	if v, ok := tables.StepsAlone("a100", "bert (batch size 8)", 4); ok || v != 0 {
		t.Errorf("nan became %g", v)
	}
	for table, want := range map[string]string{
		"b,1\nx,3\n":   `line 2: want a batch size and a speed for each number of GPUs of the header, got "x,3"`,
		"b,1\n2,3,4\n": "line 2: want a batch size",
		"b,one\n2,3\n": `the header names "one", want a number of GPUs`,
		"b,1\n2,-3\n":  `"-3" is no speed in steps per second`,
	} {
		if _, err := workload.ReadSpeedTables(folder(t, table)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
	if _, err := workload.ReadSpeedTables(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no table MODEL.csv") {
		t.Errorf("an empty folder: %v", err)
	}
	// What does not tell sizes resizes no job, and neither does no table at all.
	for _, none := range []*workload.SpeedTables{nil, workload.NewSpeedTables([]workload.SpeedRow{{GPUType: "a100", Class: j.Class, GPUCount: 1, StepsPerSecond: 1}})} {
		rigid := workload.Job{Class: j.Class, GPUs: 1, Training: j.Training}
		if none.LetResize(&rigid); rigid.MaxGPUs != 0 {
			t.Error("a job became elastic")
		}
	}
}
