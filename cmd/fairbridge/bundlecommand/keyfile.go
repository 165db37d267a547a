package bundlecommand

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
)

// keyLength is that of a key, in bytes.
const keyLength = 32

// keptKey is the file of --key-file.
type keptKey struct {
	Key   string            `json:"key"`   // in hexadecimal digits
	Names map[string]string `json:"names"` // by pseudonym, of all bundles
	key   []byte
}

// readKey returns what the file keeps; a random key where path is "" or there is no file.
func readKey(path string) (*keptKey, error) {
	k := &keptKey{key: make([]byte, keyLength)}
	_, _ = rand.Read(k.key) // never fails
	if path == "" {
		return k, nil
	}
	text, err := readPrivate(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = k.parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("--key-file %s is none that an earlier bundle of yours wrote; name a new file: %w", path, err)
	}
	return k, nil
}

// parse reads what write wrote.
func (k *keptKey) parse(text []byte) error {
	err := json.Unmarshal(text, k)
	if err == nil {
		k.key, err = hex.DecodeString(k.Key)
	}
	if err == nil && len(k.key) != keyLength {
		err = fmt.Errorf("its key has %d bytes, not %d", len(k.key), keyLength)
	}
	return err
}

// readPrivate reads a file that is the user's own, and that nobody else may read or change. It follows no link.
func readPrivate(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := checkPrivate(info, os.Geteuid()); err != nil {
		return nil, err
	}
	return io.ReadAll(file)
}

// checkPrivate returns an error where a file is none of a user's own alone.
func checkPrivate(info fs.FileInfo, user int) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case !ok || int(owner.Uid) != user:
		return fmt.Errorf("it does not belong to you (user id %d)", user)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others may read or change it (mode %04o): its key may be known", info.Mode().Perm())
	}
	return nil
}

// write adds names and writes the file anew, for its owner alone. Whoever reads it meanwhile sees the old or the new one.
func (k *keptKey) write(path string, names map[string]string) error {
	if path == "" {
		return nil
	}
	all := map[string]string{}
	maps.Copy(all, names)
	maps.Copy(all, k.Names)
	text, err := json.MarshalIndent(keptKey{Key: hex.EncodeToString(k.key), Names: all}, "", " ")
	if err == nil {
		err = replaceFile(path, text)
	}
	if err != nil {
		return fmt.Errorf("--key-file %s could not be written, so there is no bundle: %w", path, err)
	}
	return nil
}

// replaceFile puts a new file of mode 0600 in the place of one.
func replaceFile(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".fairbridge-key-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
