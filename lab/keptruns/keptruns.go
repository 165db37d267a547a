// Package keptruns keeps simulated runs in a folder, one file each, so that a study of hours
// that was interrupted goes on where it was: runs that ended are read back, not made again.
package keptruns

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"fairbridge/bridge/datafile"
	"fairbridge/replica/measure"
)

// Folder is where runs are kept. A run is found by its key, which stands for everything that
// decides its outcome but the program: that is a part of the name of its file.
type Folder struct {
	path            string
	program         string // that simulates now
	takesAnyProgram bool
}

// Open makes the folder if it is not there. program stands for the program that simulates: runs
// of another one are taken as well only with takesAnyProgram.
func Open(path, program string, takesAnyProgram bool) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for runs: %w", err)
	}
	return &Folder{path, program, takesAnyProgram}, nil
}

// FindRun reads the run of a key back; nil: it was not made yet.
func (f *Folder) FindRun(key string) (*measure.Run, error) {
	path := f.pathOf(key)
	if f.takesAnyProgram {
		if all, _ := filepath.Glob(filepath.Join(f.path, key+".*.json.gz")); len(all) > 0 && !slices.Contains(all, path) {
			path = all[0]
		}
	}
	run := &measure.Run{}
	found, err := datafile.LoadJSON(path, "kept run", run)
	if !found {
		return nil, err
	}
	return run, nil
}

// KeepRun writes the run of a key: whole or not at all.
func (f *Folder) KeepRun(key string, run *measure.Run) error {
	return datafile.SaveFile(f.pathOf(key), true, func(w io.Writer) error { return json.NewEncoder(w).Encode(run) })
}

func (f *Folder) pathOf(key string) string {
	return filepath.Join(f.path, key+"."+f.program+".json.gz")
}

// HashProgram returns a short hash of the program that runs: another build of the same source
// has the same.
func HashProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the program's own file: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading the program's own file: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("reading the program's own file: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}
