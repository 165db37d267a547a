package demo

import (
	"errors"
	"strings"
	"testing"
)

func TestAFullDiskIsSaidBeforeAnythingStarts(t *testing.T) {
	t.Setenv("TMPDIR", "/elsewhere")
	full := func(fullDir string, free int) func(string) (int, error) {
		return func(dir string) (int, error) {
			if dir == fullDir {
				return free, nil
			}
			return 1 << 20, nil
		}
	}
	for _, c := range []struct {
		usesRealSlurm bool
		fullDir       string
		free          int
		says          string // "": there is room
	}{
		{true, "/tmp", 999, "needs 1000 MB in /tmp, where 999 MB are free: make room there, or use --slurm=sim"},
		{true, "/elsewhere", 0, "needs 1000 MB in /elsewhere, where 0 MB are free"},
		{true, "/tmp", 1000, ""},
		{false, "/tmp", 399, "needs 400 MB in /tmp, where 399 MB are free: make room there"},
		{false, "/tmp", 400, ""},
	} {
		err := checkFreeSpace(c.usesRealSlurm, full(c.fullDir, c.free))
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	failed := errors.New("no such disk")
	if err := checkFreeSpace(true, func(string) (int, error) { return 0, failed }); !errors.Is(err, failed) {
		t.Errorf("the disk cannot be asked: %v", err)
	}
}

func TestFreeSpaceIsMeasured(t *testing.T) {
	if free, err := measureFreeMegabytes(t.TempDir()); err != nil || free <= 0 {
		t.Errorf("%d MB, %v", free, err)
	}
	if _, err := measureFreeMegabytes(t.TempDir() + "/absent"); err == nil {
		t.Error("a folder that is not there has room")
	}
}
