package safefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadSecret reads a secret of some length, without the space around it, from a file that nobody else may read or
// change.
func ReadSecret(path string, least, most int) ([]byte, error) {
	if path == "" {
		return nil, errors.New("no file is given")
	}
	if err := errors.Join(CheckPrivate(path), CheckIgnoringOwner(path)); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	text = bytes.TrimSpace(text)
	if err == nil && (len(text) < least || len(text) > most) {
		err = fmt.Errorf("%s has %d bytes, from %d to %d make a secret: head -c 32 /dev/urandom | base64", path, len(text), least, most)
	}
	return text, err
}
