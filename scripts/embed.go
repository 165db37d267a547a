// Package scripts carries the shell scripts of this directory inside the programs that use them.
package scripts

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"

	"fairbridge/scripts/executable"
)

// Files holds ensure (installs what a machine lacks) and slurm/ (a throw-away Slurm).
//
//go:embed ensure slurm
var Files embed.FS

// UnpackTo writes the scripts below dir, executable by all and writable by the owner, and replaces older ones.
func UnpackTo(dir string) error {
	return fs.WalkDir(Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, name)
		if entry.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := Files.ReadFile(name)
		if err != nil {
			return err
		}
		return executable.Write(to, text)
	})
}
