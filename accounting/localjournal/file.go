// Package localjournal keeps the ledger of intents in a file beside the
// daemon, so that what is ours in Slurm can be given back while Postgres is
// down. The file is JSON lines, one intent a line, the last line of an id
// counting; every append is on disk before it returns. The database stays the
// truth: this file is only read when it cannot be asked.
package localjournal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"fairbridge/bridge"
)

// openFile takes the file and reads it.
func (j *Journal) openFile() error {
	var err error
	if j.lockFile, err = os.OpenFile(j.path+".lock", os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err := syscall.Flock(int(j.lockFile.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return ErrInUse
		}
		return fmt.Errorf("locking %s: %w", j.lockFile.Name(), err)
	}
	whole, err := j.readFile()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return err
	}
	j.sizeBytes = whole
	if err := j.file.Truncate(whole); err != nil { // drop a line cut off by a crash
		return err
	}
	return syncDir(j.path)
}

// readFile reads the file and returns how many bytes of it are whole lines.
func (j *Journal) readFile() (whole int64, err error) {
	b, err := os.ReadFile(j.path)
	if err != nil {
		return 0, err
	}
	for n := 1; ; n++ {
		line, rest, ok := bytes.Cut(b, []byte{'\n'})
		if !ok {
			return whole, nil
		}
		whole += int64(len(line)) + 1
		b = rest
		var in bridge.Intent
		if err := json.Unmarshal(line, &in); err != nil {
			j.damageErrors = append(j.damageErrors, fmt.Errorf("%s:%d: not an intent: %w", j.path, n, err))
			continue
		}
		j.intentByID[in.ID] = in
	}
}

// appendLines appends lines in one call and waits for the disk. After a failed write
// the file is cut back, so that half a line never precedes a whole one.
func (j *Journal) appendLines(list []bridge.Intent) error {
	b, err := encodeLines(list)
	if err != nil {
		return err
	}
	if _, err = j.file.Write(b); err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.sizeBytes))
	}
	j.sizeBytes += int64(len(b))
	return nil
}

func encodeLines(list []bridge.Intent) ([]byte, error) {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	for i := range list {
		if err := w.Encode(&list[i]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// rewriteFile replaces the file by one with what still counts, in one step.
func (j *Journal) rewriteFile() error {
	since := j.now().Add(-closedRetention)
	var list []bridge.Intent
	for _, in := range j.intentByID {
		if isOpenOrClosedSince(&in, since) {
			list = append(list, in)
		}
	}
	sortByID(list)
	next, size, err := writeNewFile(j.path+".new", list)
	if err != nil {
		return err
	}
	if err := os.Rename(next.Name(), j.path); err != nil {
		return errors.Join(err, next.Close(), os.Remove(next.Name()))
	}
	old := j.file
	j.file, j.sizeBytes = next, size
	j.maxBytes = max(defaultMaxBytes, 2*size) // so that what counts is not rewritten at every note
	clear(j.intentByID)
	for _, in := range list {
		j.intentByID[in.ID] = in
	}
	return errors.Join(old.Close(), syncDir(j.path))
}

func writeNewFile(path string, list []bridge.Intent) (*os.File, int64, error) {
	b, err := encodeLines(list)
	if err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, 0, err
	}
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, 0, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, int64(len(b)), nil
}

// syncDir makes the name of a new file last.
func syncDir(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
