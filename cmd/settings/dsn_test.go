package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/cmd/settings"
)

// file writes a file of the mode, whatever the umask.
func file(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDSNFile(t *testing.T) {
	const plain, secret, words = "postgres://fairbridge@db/fairbridge", "postgres://fairbridge:pw@db/fairbridge", "host=db user=fairbridge password=pw"
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"no password":                     {plain, 0o644, ""},
		"a socket":                        {"postgres:///fairbridge?host=/run/postgresql", 0o644, ""},
		"a port is no password":           {"postgres://db:5432/fairbridge", 0o644, ""},
		"no password, but open":           {plain, 0o666, "can be written by everybody (mode 0666): chmod go-w "},
		"a password for its owner":        {secret, 0o600, ""},
		"a password for a group":          {secret, 0o640, ""},
		"a password for all":              {secret, 0o644, "it holds a password, and "},
		"a password for all, in words":    {words, 0o644, "chmod o-rwx "},
		"a password in a parameter":       {"postgres:///fairbridge?password=pw", 0o604, "chmod o-rwx "},
		"a password for its owner, words": {words, 0o600, ""},
	} {
		f := settings.NewDefaultFile()
		f.Database.DSNFile = file(t, c.text+"\n", c.mode)
		dsn, err := f.DSN()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil && dsn != c.text {
			t.Errorf("%s: read %q", name, dsn)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: the password is told: %v", name, err)
		}
	}
}

// TestOpenConfiguration: it names a program to run.
func TestOpenConfiguration(t *testing.T) {
	path := file(t, "cluster: lab\n", 0o666)
	if _, err := settings.Load(path); err == nil || !strings.Contains(err.Error(), "can be written by everybody (mode 0666): chmod go-w "+path) {
		t.Errorf("mode 0666: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := settings.Load(path); err != nil && strings.Contains(err.Error(), "mode") {
		t.Errorf("mode 0644: %v", err)
	}
}
