// Package datafile reads and writes the files of a study: packed by gzip or not,
// and written whole or not at all.
package datafile

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// LookAheadBytes is how much of a file a reader of this package can look ahead.
const LookAheadBytes = 64 << 10

// NewGunzipReader reads gzip as what is in it, and everything else as it is.
func NewGunzipReader(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, LookAheadBytes)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, LookAheadBytes), nil
}

// LoadJSON reads a value of JSON from a file, packed or not; found is false where there is no such
// file. what names its content in errors.
func LoadJSON(path, what string, value any) (found bool, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading a %s: %w", what, err)
	}
	defer file.Close()
	in, err := NewGunzipReader(file)
	if err == nil {
		err = json.NewDecoder(in).Decode(value)
	}
	if err != nil {
		return false, fmt.Errorf("reading the %s %s (remove the file to make it again): %w", what, path, err)
	}
	return true, nil
}

// AtomicFile is a file that appears whole or not at all. A nil File takes nothing.
type AtomicFile struct {
	path     string
	tempFile *os.File
}

// CreateFile makes sure that the file can be written, before hours of simulation.
// Without a path the File is nil.
func CreateFile(path string) (*AtomicFile, error) {
	if path == "" {
		return nil, nil
	}
	if err := CheckWritable(path, true); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // the file beside it, by which it is written, is none that was asked for
		}
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return &AtomicFile{path, temp}, nil
}

// Write writes the content and puts the file in its place.
func (f *AtomicFile) Write(content func(io.Writer) error) error {
	if f == nil {
		return nil
	}
	w := bufio.NewWriter(f.tempFile)
	for _, step := range []func() error{
		func() error { return content(w) }, w.Flush, f.tempFile.Sync, func() error { return f.tempFile.Chmod(0o644) }, f.tempFile.Close,
		func() error { return os.Rename(f.tempFile.Name(), f.path) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
	}
	return nil
}

// Discard removes what was not written to its end.
func (f *AtomicFile) Discard() {
	if f != nil {
		f.tempFile.Close()
		os.Remove(f.tempFile.Name())
	}
}

// SaveFile writes a file, packed if its name ends in .gz. One that is there already
// stays, and the error is fs.ErrExist, unless it may be replaced.
func SaveFile(path string, replace bool, content func(io.Writer) error) error {
	if err := CheckWritable(path, replace); err != nil {
		return err
	}
	f, err := CreateFile(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	return f.Write(func(w io.Writer) error {
		if !strings.HasSuffix(path, ".gz") {
			err = content(w)
		} else {
			z := gzip.NewWriter(w)
			err = errors.Join(content(z), z.Close())
		}
		if _, there := os.Stat(path); err == nil && there == nil && !replace {
			err = fs.ErrExist // it was written by somebody else meanwhile
		}
		return err
	})
}

// CheckWritable says why a file cannot be written by SaveFile, as far as can be told
// before: it is a folder or has none to lie in, or is there
// already (fs.ErrExist).
func CheckWritable(path string, replace bool) error {
	info, err := os.Stat(path)
	folder, folderErr := os.Stat(filepath.Dir(path))
	switch {
	case errors.Is(folderErr, fs.ErrNotExist):
		return fmt.Errorf("writing %s: there is no folder %s", path, filepath.Dir(path))
	case folderErr == nil && !folder.IsDir():
		return fmt.Errorf("writing %s: %s is no folder", path, filepath.Dir(path))
	case err != nil:
		return nil // not there, or the writing will say what is wrong
	case info.IsDir():
		return fmt.Errorf("writing %s: it is a folder", path)
	case !replace:
		return fmt.Errorf("writing %s: %w", path, fs.ErrExist)
	}
	return nil
}
