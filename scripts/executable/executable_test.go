package executable_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"fairbridge/scripts/executable"
)

// TestWhatIsWrittenRuns: also where others start programs at the same time, and where the program is there already.
func TestWhatIsWrittenRuns(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		path := filepath.Join(t.TempDir(), "program")
		all.Go(func() {
			for range 50 {
				if err := executable.Write(path, []byte("#!/bin/sh\necho run\n")); err != nil {
					t.Errorf("write: %v", err)
				}
				if out, err := exec.Command(path).Output(); err != nil || string(out) != "run\n" {
					t.Errorf("got %q, %v; want that it runs", out, err)
				}
			}
		})
	}
	all.Wait()
}

func TestAFolderThatIsNotThere(t *testing.T) {
	if err := executable.Write(filepath.Join(t.TempDir(), "none", "program"), nil); !os.IsNotExist(err) {
		t.Errorf("got %v, want that the folder is not there", err)
	}
}
