//go:build cgo

package nvml_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/fakenvml"
	"fairbridge/nodeprobe/nvml"
)

// A process binds NVML's functions to the first library it loads, and a
// function that is missing ends it: every library is read by a process of its
// own, this test program called again.
const readEnv = "NVML_TEST_READ"

func TestMain(m *testing.M) {
	if path := os.Getenv(readEnv); path != "" {
		if err := nvml.LimitMemory(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := readAll(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// answer is what a reading process prints.
type answer struct {
	About    nodeprobe.DriverInfo
	NoDriver string
	Looks    [][]nodeprobe.GPU
	Errors   []string
}

// readAll looks at the GPUs once for every state file named, writing each over
// the state first.
func readAll(path string) error {
	var a answer
	d, err := nvml.Open(path)
	if err != nil {
		var none *nvml.NoDriverError
		if !errors.As(err, &none) {
			return fmt.Errorf("not a *NoDriver: %w", err)
		}
		a.NoDriver = err.Error()
		return json.NewEncoder(os.Stdout).Encode(a)
	}
	a.About = d.Info()
	for _, state := range filepath.SplitList(os.Getenv("NVML_TEST_STATES")) {
		if err := os.Rename(state, os.Getenv(fakenvml.StateVariable)); err != nil {
			return err
		}
		gpus, err := d.ReadGPUs()
		a.Looks = append(a.Looks, gpus)
		a.Errors = append(a.Errors, fmt.Sprint(err))
	}
	if err := d.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(a)
}

// read has a process read the library through the states, one look each.
func read(t *testing.T, lib string, states ...string) answer {
	t.Helper()
	out, err := reading(t, lib, states...)
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return a
}

func reading(t *testing.T, lib string, states ...string) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for i, s := range append(states, states[len(states)-1]) {
		name := filepath.Join(dir, fmt.Sprintf("state%d", i))
		if err := os.WriteFile(name, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	now := filepath.Join(dir, "now")
	if err := os.WriteFile(now, []byte(states[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), readEnv+"="+lib, fakenvml.StateVariable+"="+now, "NVML_TEST_STATES="+strings.Join(files, string(os.PathListSeparator)))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("reading %s: %w: %s", lib, err, stderr.Bytes())
	}
	return out, err
}

// fake builds the library, once for the same functions left out.
func fake(t *testing.T, without ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc to build a fake driver library")
	}
	lib, err := fakenvml.BuildLibrary(t.TempDir(), without...)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}
