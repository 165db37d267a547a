package demo

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keepLogs says where the logs are of a demonstration that failed, which stay.
func (s *demonstration) keepLogs(cause error) error {
	if logs, _ := listLogs(s.dir); len(logs) == 0 {
		return cause
	}
	s.keepsDir = true
	return fmt.Errorf("%w\nits logs stay in %s", cause, s.dir)
}

// listLogs lists the files in a directory that say what its programs did.
func listLogs(dir string) (logs []string, err error) {
	if dir == "" {
		return nil, nil
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // a daemon took it away
		}
		if e.Type().IsRegular() && isLogName(filepath.Base(path)) {
			logs = append(logs, path)
		}
		return nil
	})
	return logs, err
}

// isLogName reports whether a file of that name stays when a demonstration fails.
func isLogName(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".log" || ext == ".out" || name == "out" || name == "fairbridge.yaml"
}

// removeDir removes the directory, but for the logs of a demonstration that failed.
func (s *demonstration) removeDir() error {
	if !s.keepsDir {
		return os.RemoveAll(s.dir)
	}
	logs, err := listLogs(s.dir)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, path := range logs {
		for ; len(path) >= len(s.dir); path = filepath.Dir(path) {
			kept[path] = true
		}
	}
	return filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || kept[path]:
			return nil
		case e.IsDir():
			_ = os.RemoveAll(path) // a sentence about what is left would hide why it failed
			return filepath.SkipDir
		}
		return os.Remove(path)
	})
}
