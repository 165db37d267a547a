package throwaway

import (
	"fmt"
	"os"
	"path/filepath"

	"fairbridge/scripts"
)

const (
	scriptsDir = ".scripts"
	toolsDir   = scriptsDir + "/slurm"
	markerFile = ".fairbridge-slurm" // says to the scripts that the directory is theirs
)

// prepareDir unpacks the scripts into dir, which it makes if need be; an empty dir means a temporary one. A socket's path
// is short, so the temporary one may not be where TMPDIR says.
func prepareDir(dir string) (string, error) {
	const longest = 50
	var err error
	if dir == "" {
		base := os.TempDir()
		if len(base) > longest {
			base = "/tmp"
		}
		dir, err = os.MkdirTemp(base, "fairbridge-slurm-")
	} else if dir, err = filepath.Abs(dir); err == nil {
		err = claimDir(dir)
	}
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, markerFile), nil, 0o644); err != nil {
		return "", err
	}
	return dir, scripts.UnpackTo(filepath.Join(dir, scriptsDir))
}

// claimDir makes dir and refuses one that holds anything else.
func claimDir(dir string) error {
	if err := os.MkdirAll(dir, 0o711); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, markerFile)); err != nil {
		return fmt.Errorf("%s is not empty; choose another directory", dir)
	}
	return nil
}
