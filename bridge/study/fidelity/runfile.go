package fidelity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"fairbridge/bridge/study/datafile"
)

// RunFileName is the name of the file with the n-th real run, counted from 1.
func RunFileName(stream string, arm Arm, n int) string {
	return fmt.Sprintf("%s-%s-%d.json.gz", stream, arm, n)
}

// LoadRun reads a real run back; nil: there is no such file.
func LoadRun(path string) (*RealRun, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a real run: %w", err)
	}
	defer file.Close()
	run := &RealRun{}
	in, err := datafile.NewGunzipReader(file)
	if err == nil {
		err = json.NewDecoder(in).Decode(run)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the real run %s (remove the file to make it again): %w", path, err)
	}
	return run, nil
}

// Save writes the run into a file that is not there yet: whole or not at all.
func (r *RealRun) Save(path string) error {
	return datafile.SaveFile(path, false, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}
