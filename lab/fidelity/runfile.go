package fidelity

import (
	"encoding/json"
	"fmt"
	"io"

	"fairbridge/bridge/datafile"
)

// RunFileName is the name of the file with the n-th real run, counted from 1.
func RunFileName(stream string, arm Arm, n int) string {
	return fmt.Sprintf("%s-%s-%d.json.gz", stream, arm, n)
}

// LoadRun reads a real run back; nil: there is no such file.
func LoadRun(path string) (*RealRun, error) {
	run := &RealRun{}
	found, err := datafile.LoadJSON(path, "real run", run)
	if !found {
		return nil, err
	}
	return run, nil
}

// Save writes the run into a file that is not there yet: whole or not at all.
func (r *RealRun) Save(path string) error {
	return datafile.SaveFile(path, false, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}
