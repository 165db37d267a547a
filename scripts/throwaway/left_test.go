package throwaway

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// patience is how long is waited for what happens within seconds where the machine is not busy.
const patience = 2 * time.Minute

// gone fails the test unless the directory and its processes vanish by themselves.
func gone(t *testing.T, dir string) {
	t.Helper()
	processesGone(t, dir)
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			return
		}
		if time.Now().After(end) {
			left, _ := filepath.Glob(dir + "/*")
			t.Fatalf("left: %s with %q", dir, left)
		}
	}
}

// processesGone fails the test unless all processes that name dir, or work in a namespace laid over it, end soon.
func processesGone(t *testing.T, dir string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		left := processesOf(dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("processes of %s left: %q", dir, left)
		}
	}
}

func processesOf(dir string) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range all {
		line, _ := os.ReadFile(p + "/cmdline")
		mounts, _ := os.ReadFile(p + "/mountinfo")
		if strings.Contains(string(line), dir) || strings.Contains(string(mounts), dir) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
