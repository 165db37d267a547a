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
)

// Save writes the trace to a file in our own format, packed if its name ends in
// .gz. The file appears whole or not at all. One that is there already stays,
// and the error is fs.ErrExist, unless it may be replaced.
func (t *Trace) Save(path string, replace bool) error {
	if err := mayWrite(path, replace); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if err := t.packed(temp, strings.HasSuffix(path, ".gz")); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	for _, step := range []func() error{temp.Sync, func() error { return temp.Chmod(0o644) }, temp.Close} {
		if err := step(); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	if err := mayWrite(path, replace); err != nil { // somebody else may have written it meanwhile
		return err
	}
	return os.Rename(temp.Name(), path)
}

func mayWrite(path string, replace bool) error {
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

func (t *Trace) packed(w io.Writer, pack bool) error {
	if !pack {
		return t.Write(w)
	}
	z := gzip.NewWriter(w)
	return errors.Join(t.Write(z), z.Close())
}
