package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// file is one that appears whole or not at all. A nil file takes nothing.
type file struct {
	path string
	temp *os.File
}

// newFile makes sure that the file can be written, before hours of simulation.
func newFile(path string) (*file, error) {
	if path == "" {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("writing %s: it is a folder", path)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return &file{path, temp}, nil
}

// write writes the file and puts it in its place.
func (f *file) write(content func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	w := bufio.NewWriter(f.temp)
	if err := content(w); err != nil {
		return fmt.Errorf("writing %s: %w", f.path, err)
	}
	for _, step := range []func() error{w.Flush, f.temp.Sync, func() error { return f.temp.Chmod(0o644) }, f.temp.Close} {
		if err := step(); err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
	}
	if err := os.Rename(f.temp.Name(), f.path); err != nil {
		return fmt.Errorf("writing %s: %w", f.path, err)
	}
	return nil
}

// discard removes what was not written to its end.
func (f *file) discard() {
	if f != nil {
		f.temp.Close()
		os.Remove(f.temp.Name())
	}
}
