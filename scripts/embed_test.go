package scripts

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestUnpackedScriptsParseAndReplaceOlderOnes(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ensure"), []byte("an older one"), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := UnpackTo(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ensure", "slurm/up", "slurm/down", "slurm/env", "slurm/in", "slurm/init", "slurm/install", "slurm/keep", "slurm/root", "slurm/upgrade"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s: %v, %v; want an executable file", name, info, err)
		}
		if out, err := exec.Command("bash", "-n", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		carried, err := fs.ReadFile(Files, name)
		text, _ := os.ReadFile(path)
		if err != nil || string(text) != string(carried) {
			t.Errorf("%s differs from the one carried (%v)", name, err)
		}
	}
}
