package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "file")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path  string
		level Level
		says  string
	}{
		"there":                       {dir, LevelOK, "can be written to"},
		"not there, but may be made":  {filepath.Join(dir, "var", "lib"), LevelOK, "can be written to"},
		"none":                        {"", LevelOK, "can be written to"},
		"below a file":                {filepath.Join(plain, "x"), LevelFail, "not a directory"},
		"a file":                      {plain, LevelFail, "it is no folder"},
		"not to be written":           {closed, LevelFail, closed + " (journal) cannot be written to"},
		"below one not to be written": {filepath.Join(closed, "lib"), LevelFail, "(journal) cannot be written to: " + closed},
	} {
		if os.Geteuid() == 0 && strings.Contains(name, "not to be") {
			continue // root may
		}
		var r Report
		r.checkFolders(1000, Folder{"journal", c.path})
		if f := only(t, r); f.Level != c.level || !strings.Contains(f.Text, c.says) || f.Level == LevelFail && f.Fix == "" {
			t.Errorf("%s: %+v, want %s %q", name, f, c.level, c.says)
		}
	}
	var r Report
	r.checkFolders(0, Folder{"journal", plain})
	if f := only(t, r); f.Level != LevelSkip {
		t.Errorf("as root: %+v", f)
	}
}

func TestStopFolder(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "STOP")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		level Level
		says  string
	}{
		there:                            {LevelWarn, "exists: nothing is pushed"},
		filepath.Join(dir, "no", "STOP"): {LevelWarn, "does not exist: in an emergency"},
		filepath.Join(there, "STOP"):     {LevelFail, "cannot be looked for"},
	} {
		var r Report
		r.checkStopFile(path)
		if f := only(t, r); f.Level != want.level || !strings.Contains(f.Text, want.says) || f.Fix == "" {
			t.Errorf("%s: %+v, want %+v", path, f, want)
		}
	}
	var r Report
	r.checkStopFile("")
	r.checkStopFile(filepath.Join(dir, "OTHER"))
	if len(r) > 0 {
		t.Errorf("nothing to say: %+v", r)
	}
}
