package safefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// place makes dir/sub/file with the modes.
func place(t *testing.T, dir, sub, file os.FileMode) string {
	t.Helper()
	top := filepath.Join(t.TempDir(), "etc")
	path := filepath.Join(top, "fairbridge", "conf")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{path: file, filepath.Dir(path): sub, top: dir} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestCheckByMode(t *testing.T) {
	for name, c := range map[string]struct {
		dir, sub, file os.FileMode
		want           string
	}{
		"as it should be":              {0o755, 0o755, 0o644, ""},
		"private":                      {0o755, 0o700, 0o600, ""},
		"all may write it":             {0o755, 0o755, 0o666, "conf can be written by everybody (mode 0666): chmod go-w "},
		"all may replace it":           {0o755, 0o777, 0o600, "fairbridge, where "},
		"all may replace its folder":   {0o777, 0o700, 0o600, "etc, where "},
		"a folder like /tmp":           {0o777 | os.ModeSticky, 0o700, 0o600, ""},
		"sticky, but the file is open": {0o777 | os.ModeSticky, 0o700, 0o602, "mode 0602"},
	} {
		err := Check(place(t, c.dir, c.sub, c.file))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestCheckFollowsLinks: the link may be anywhere, what it leads to counts.
func TestCheckFollowsLinks(t *testing.T) {
	open := place(t, 0o755, 0o755, 0o666)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(open, link); err != nil {
		t.Fatal(err)
	}
	if err := Check(link); err == nil || !strings.Contains(err.Error(), open) {
		t.Errorf("a link to %s: %v", open, err)
	}
}

// TestCheckByOwner needs root, to give files away.
func TestCheckByOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	const stranger = 12345
	path := place(t, 0o755, 0o755, 0o600)
	if err := os.Chown(path, stranger, 0); err != nil {
		t.Fatal(err)
	}
	if err := Check(path); err == nil || !strings.Contains(err.Error(), "belongs to user 12345, who could change it: chown root "+path) {
		t.Errorf("a stranger's file: %v", err)
	}
	if err := CheckIgnoringOwner(path); err != nil {
		t.Errorf("a stranger's file that only its owner can write: %v", err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := CheckIgnoringOwner(path); err == nil || !strings.Contains(err.Error(), "mode 0666") {
		t.Errorf("a stranger's file that all can write: %v", err)
	}
	path = place(t, 0o755, 0o755, 0o660)
	if err := Check(path); err != nil {
		t.Errorf("root's own group: %v", err)
	}
	if err := os.Chown(path, 0, stranger); err != nil {
		t.Fatal(err)
	}
	if err := Check(path); err == nil || !strings.Contains(err.Error(), "can be written by group 12345 (mode 0660): chmod g-w "+path) {
		t.Errorf("a stranger's group: %v", err)
	}
}

func TestPrivate(t *testing.T) {
	if err := CheckPrivate(place(t, 0o755, 0o755, 0o640)); err != nil {
		t.Error(err)
	}
	if err := CheckPrivate(place(t, 0o755, 0o755, 0o644)); err == nil || !strings.Contains(err.Error(), "is open to everybody (mode 0644): chmod o-rwx ") {
		t.Errorf("readable for all: %v", err)
	}
}
