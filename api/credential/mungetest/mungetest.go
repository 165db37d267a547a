// Package mungetest starts a private munged for tests, with a key and a socket of its own.
package mungetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Munged is a running munged.
type Munged struct {
	Socket string
	Key    string // the file of its key
	Pid    int    // of munged itself
}

// NewKey makes a key for munged in a folder, and returns its file.
func NewKey(t testing.TB, dir string) string {
	t.Helper()
	key := make([]byte, 128)
	rand.Read(key)
	path := filepath.Join(dir, "key")
	if err := os.WriteFile(path, key, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Start starts munged with a key, or one of its own where that is "". It ends with the test,
// or with this process however that ends. The test is skipped where munge is not installed.
// More words precede the command, such as ip netns exec NAME.
func Start(t testing.TB, key string, prefix ...string) *Munged {
	t.Helper()
	for _, name := range []string{"munged", "munge", "unmunge"} {
		if _, err := lookPath(name); err != nil {
			t.Skipf("%s is not installed (scripts/ensure installs it)", name)
		}
	}
	dir := newFolder(t)
	if key == "" {
		key = NewKey(t, dir)
	}
	m := &Munged{Socket: filepath.Join(dir, "s"), Key: key}
	m.run(t, dir, prefix)
	return m
}

// lookPath finds a command where munged is, too, which may not be in the path of users.
func lookPath(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return exec.LookPath(filepath.Join("/usr/sbin", name))
}

// newFolder makes a folder whose socket every user reaches, with a path short enough for one.
func newFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fairbridge-munge-")
	if err == nil {
		err = os.Chmod(dir, 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// watch ends munged, and removes its folder, when its standard input ends, which it does with
// this process.
const watch = `"$@" & echo $!; read -r _; kill $!; wait; rm -rf "$0"`

func (m *Munged) run(t testing.TB, dir string, prefix []string) {
	t.Helper()
	munged, _ := lookPath("munged")
	words := append([]string{"-c", watch, dir}, prefix...)
	words = append(words, munged, "--foreground", "--force", "--socket="+m.Socket, "--key-file="+m.Key,
		"--pid-file="+filepath.Join(dir, "pid"), "--seed-file="+filepath.Join(dir, "seed"))
	cmd := exec.Command("sh", words...)
	var says bytes.Buffer
	cmd.Stderr = &says
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait() // its status is that of a signal
	})
	if _, err := fmt.Fscan(out, &m.Pid); err != nil {
		t.Fatal(err)
	}
	if err := m.await(); err != nil {
		in.Close()
		cmd.Wait()
		t.Fatalf("%v: %s", err, says.String())
	}
}

// await waits until munged answers.
func (m *Munged) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		err := exec.CommandContext(ctx, "munge", "--no-input", "--socket="+m.Socket).Run()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("munged did not answer within a minute: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// EncodeCommand is munge with this munged, for credential.Encode.
func (m *Munged) EncodeCommand(more ...string) []string {
	return append([]string{"munge", "--socket=" + m.Socket}, more...)
}

// DecodeCommand is unmunge with this munged, for credential.Decode.
func (m *Munged) DecodeCommand() []string { return []string{"unmunge", "--socket=" + m.Socket} }
