package fakenvml_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/nodeprobe/fakenvml"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	gpus := []fakenvml.GPU{
		{Model: "NVIDIA A100", BusyPercent: 93, UsedMB: 100, TotalMB: 40960, Watts: 310.5, TempC: 61, Processes: []fakenvml.Process{{PID: 7, MemMB: 60}, {PID: 8, MemMB: 40}}},
		{Xid: 79, ExtraWords: "lost"},
	}
	if err := fakenvml.WriteState(path, gpus); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `gpu 0 model="NVIDIA A100" busy=93 mem=100/40960 watts=310.5 temp=61 pids=7:60,8:40
gpu 1 busy=0 mem=0/81920 watts=0 temp=0 xid=79 lost
`
	if string(got) != want {
		t.Errorf("wrote\n%swant\n%s", got, want)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBuildSaysWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := fakenvml.BuildLibrary(t.TempDir()); err == nil || !strings.Contains(err.Error(), "install gcc") {
		t.Errorf("without a compiler: %v", err)
	}
}
