package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestClient(t *testing.T) {
	got, err := ParseClient("c", []byte("# where\nurl: https://ctl:6817\nca_file: /etc/fairbridge/ca.pem\nmunge: [/opt/bin/munge, -S, /run/m]\ntimeout: 2s\n"))
	want := &Client{URL: "https://ctl:6817", CAFile: "/etc/fairbridge/ca.pem", Munge: []string{"/opt/bin/munge", "-S", "/run/m"}, Timeout: 2 * time.Second}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	if got, err := ParseClient("c", nil); err != nil || cmp.Diff(NewDefaultClient(), got) != "" {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
	for text, want := range map[string]string{
		"uri: https://ctl":        `c:1:1: key "uri" is unknown`,
		"url: https://a\nurl: b":  "already defined",
		"url: [a]":                "c:1:",
		"url: *x":                 "c:1:",
		"timeout: 10ms":           "c:1:10: timeout: want 1s to 10m",
		"timeout: 20":             "want a duration",
		"timeout: 99h":            "timeout: want 1s to 10m",
		"munge: []":               "munge: want a command",
		"munge: munge":            "munge: want a list",
		"ca_file: ca.pem":         "ca_file: want an absolute path",
		"url: a\n---\nurl: b":     "more than one document",
		"url: \"\x00":             "c:1:",
		"- url":                   "c:1:",
		"url: x\nslurm: {url: y}": `key "slurm" is unknown`,
	} {
		if got, err := ParseClient("c", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
}

// A file, or a folder above it, that somebody else may write is not believed.
func TestClientThatOthersMayWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "etc")
	path := filepath.Join(dir, "client.yaml")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("url: https://ctl\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadClient(link); err != nil {
		t.Errorf("a link to a good file: %v", err)
	}
	for name, modes := range map[string][2]os.FileMode{"file": {0o755, 0o666}, "folder": {0o777, 0o644}} {
		_ = os.Chmod(dir, modes[0])
		_ = os.Chmod(path, modes[1])
		for _, at := range []string{path, link} {
			if _, err := LoadClient(at); err == nil || !strings.Contains(err.Error(), "can be written by everybody") {
				t.Errorf("an open %s: %v", name, err)
			}
		}
	}
}
