package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// What access(2) is asked.
const writePermission, searchPermission = 2, 1

// Folder is a place the daemon writes to, by the key of the configuration.
type Folder struct{ ConfigKey, Path string }

// checkFolders looks whether the user we run as could write there. What is missing
// is made by the daemon, if it may.
func (r *Report) checkFolders(uid int, folders ...Folder) {
	if uid == 0 {
		r.addFinding("folders", LevelSkip, "sudo -u fairbridge fairbridge doctor", "root may write everywhere: run doctor as the daemon's user")
		return
	}
	bad := false
	for _, f := range folders {
		if f.Path == "" {
			continue
		}
		at, err := nearestExistingFolder(f.Path)
		if err == nil {
			err = syscall.Access(at, writePermission|searchPermission)
		}
		if err != nil {
			bad = true
			r.addFinding("folders", LevelFail, "install -d -m 0700 -o USER "+f.Path+" as root, USER being the daemon's; fairbridge.service does it for /var/lib/fairbridge",
				"%s (%s) cannot be written to: %s: %v", f.Path, f.ConfigKey, at, err)
		}
	}
	if !bad {
		r.addOK("folders", "the folders of journal and readings can be written to")
	}
}

// nearestExistingFolder returns the folder, or the nearest above it that exists.
func nearestExistingFolder(path string) (string, error) {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return at, errors.New("it is no folder")
		case err == nil || !errors.Is(err, fs.ErrNotExist):
			return at, err
		case at == filepath.Dir(at):
			return at, err
		}
	}
}

// checkStopFile looks whether a STOP file can be made where the daemon looks for
// it. One that cannot be looked for counts as there.
func (r *Report) checkStopFile(path string) {
	if path == "" {
		return
	}
	dir := filepath.Dir(path)
	_, err := os.Stat(path)
	_, folder := os.Stat(dir)
	switch {
	case errors.Is(folder, fs.ErrNotExist):
		r.addFinding("stop file", LevelWarn, "mkdir -p "+dir, "the folder of stop_file, %s, does not exist: in an emergency there is no place to put it", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.addFinding("stop file", LevelFail, "chmod a+x "+dir, "stop_file cannot be looked for, which counts as there: nothing is pushed: %v", err)
	case err == nil:
		r.addFinding("stop file", LevelWarn, "remove it when you are ready", "%s exists: nothing is pushed", path)
	}
}
