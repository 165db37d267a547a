package trace

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fairbridge/bridge/study/workload"
)

// Save writes the trace to a file in our own format, packed if its name ends in
// .gz. The file appears whole or not at all. One that is there already stays,
// and the error is fs.ErrExist, unless it may be replaced.
func (t *Trace) Save(path string, replace bool) error { return save(path, replace, t.Write) }

// SaveTables writes tables as ReadTables reads them, in the way of Save.
func SaveTables(path string, t *workload.Tables, replace bool) error {
	return save(path, replace, func(w io.Writer) error { return writeTables(w, t) })
}

func save(path string, replace bool, write func(io.Writer) error) error {
	if err := Writable(path, replace); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if err := packed(temp, strings.HasSuffix(path, ".gz"), write); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	for _, step := range []func() error{temp.Sync, func() error { return temp.Chmod(0o644) }, temp.Close} {
		if err := step(); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	if err := Writable(path, replace); err != nil { // somebody else may have written it meanwhile
		return err
	}
	return os.Rename(temp.Name(), path)
}

// Writable says why a file cannot be written by Save or SaveTables, as far as
// can be told before: it is a folder, or there already (fs.ErrExist).
func Writable(path string, replace bool) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil // not there, or the writing will say what is wrong
	case info.IsDir():
		return fmt.Errorf("writing %s: it is a folder", path)
	case !replace:
		return fmt.Errorf("writing %s: %w", path, fs.ErrExist)
	}
	return nil
}

func packed(w io.Writer, pack bool, write func(io.Writer) error) error {
	if !pack {
		return write(w)
	}
	z := gzip.NewWriter(w)
	return errors.Join(write(z), z.Close())
}
