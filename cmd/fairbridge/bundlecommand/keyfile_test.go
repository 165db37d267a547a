package bundlecommand

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
)

// TestKeyFileKeepsNames writes the file twice: key and names of the first time are there.
func TestKeyFileKeepsNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.json")
	first, err := readKey(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.write(path, map[string]string{"user-b": "ann"}); err != nil {
		t.Fatal(err)
	}
	second, err := readKey(path)
	if err != nil || !bytes.Equal(second.key, first.key) {
		t.Fatalf("another key is read, or %v", err)
	}
	if err := second.write(path, map[string]string{"user-c": "bob"}); err != nil {
		t.Fatal(err)
	}
	third, err := readKey(path)
	if err != nil || third.Names["user-b"] != "ann" || third.Names["user-c"] != "bob" {
		t.Errorf("%v, %v", third, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestKeyFileOfOthers refuses files that others may know or change.
func TestKeyFileOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.json")
	k, err := readKey(path)
	if err == nil {
		err = k.write(path, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := readKey(link); err == nil {
		t.Error("a link is followed")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if checkPrivate(info, os.Geteuid()) != nil || checkPrivate(info, os.Geteuid()+1) == nil {
		t.Error("it does not go by the owner")
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := readKey(path); err == nil || !strings.Contains(err.Error(), "others may") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

// TestKeyFileFirst writes no bundle whose key cannot be kept.
func TestKeyFileFirst(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir) // no journalctl
	c := NewCommand(&cli.Options{ConfigPath: filepath.Join(dir, "none.yaml")})
	to := filepath.Join(dir, "bundle.tar.gz")
	run := func(keyFile string) error { return execute(t, c, "--to", to, "--key-file", keyFile) }
	if err := run(filepath.Join(dir, "none", "names.json")); err == nil || errors.Is(err, cli.ErrFinding) {
		t.Errorf("without a folder for the key: %v", err)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a bundle whose key is lost: %v", err)
	}
	if err := run(filepath.Join(dir, "names.json")); !errors.Is(err, cli.ErrFinding) {
		t.Errorf("with a folder for the key: %v", err)
	}
	if _, err := os.Stat(to); err != nil {
		t.Error(err)
	}
}

func execute(t *testing.T, c *cobra.Command, args ...string) error {
	t.Helper()
	c.SetArgs(args)
	c.SetOut(&bytes.Buffer{})
	c.SetErr(&bytes.Buffer{})
	return c.ExecuteContext(t.Context())
}
