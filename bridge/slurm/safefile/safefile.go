// Package safefile says whether a file may be believed: whether nobody but its
// owner, who must be root or ourselves, could have written it or put it in its
// place. It is the rule of sshd's StrictModes.
package safefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// Error is a file that must not be believed, and the command that mends it.
type Error struct{ Problem, FixCommand string }

// Error says both.
func (e *Error) Error() string { return e.Problem + ": " + e.FixCommand }

// Check returns an error, which says what to do, when somebody other than root
// and the user we run as could change the file or replace it: by its own mode
// and owner, or by those of a directory above it. Symbolic links are followed.
// A directory with the sticky bit, such as /tmp, lets nobody replace what is
// another's. A group of its owner's own name counts as the owner.
func Check(path string) error { return checkWithParents(path, os.Geteuid()) }

// CheckIgnoringOwner is Check for a file that is no danger to who reads it: its owner may
// be any user, who then counts as we do.
func CheckIgnoringOwner(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	owner, _ := fileOwner(info)
	return checkWithParents(path, os.Geteuid(), owner)
}

// checkWithParents judges the file and all directories above it, which root and the trusted
// users may own.
func checkWithParents(path string, trusted ...int) error {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return err
	}
	for at := real; ; at = filepath.Dir(at) {
		if err := checkFileOrParent(path, at, trusted); err != nil {
			return err
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// checkFileOrParent judges the file, or a directory above it.
func checkFileOrParent(path, at string, trusted []int) error {
	info, err := os.Lstat(at)
	if err != nil {
		return err
	}
	what := at
	if info.IsDir() {
		what = fmt.Sprintf("%s, where %s is,", at, path)
	}
	owner, group := fileOwner(info)
	if owner != 0 && !slices.Contains(trusted, owner) {
		return &Error{fmt.Sprintf("%s belongs to %s, who could change it", what, userName(owner)), "chown root " + at}
	}
	mode := info.Mode()
	if info.IsDir() && mode&fs.ModeSticky != 0 {
		return nil
	}
	switch {
	case mode.Perm()&0o002 != 0:
		return &Error{fmt.Sprintf("%s can be written by everybody (mode %04o)", what, mode.Perm()), "chmod go-w " + at}
	case mode.Perm()&0o020 != 0 && !isOwnersOwnGroup(owner, group):
		return &Error{fmt.Sprintf("%s can be written by group %s (mode %04o)", what, groupName(group), mode.Perm()), "chmod g-w " + at}
	}
	return nil
}

// CheckPrivate returns an error, which says what to do, when everybody may read the
// file.
func CheckPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o007 != 0 {
		return &Error{fmt.Sprintf("%s is open to everybody (mode %04o)", path, info.Mode().Perm()), "chmod o-rwx " + path}
	}
	return nil
}

func fileOwner(info fs.FileInfo) (owner, group int) {
	s := info.Sys().(*syscall.Stat_t)
	return int(s.Uid), int(s.Gid)
}

// isOwnersOwnGroup reports whether the group is that of the owner alone, by its name.
func isOwnersOwnGroup(owner, group int) bool { return userName(owner) == groupName(group) }

func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "user " + strconv.Itoa(uid)
}

func groupName(gid int) string {
	if g, err := user.LookupGroupId(strconv.Itoa(gid)); err == nil {
		return g.Name
	}
	return strconv.Itoa(gid)
}

// ReadSecret reads a secret of some length, without the space around it, from a file that nobody else may read or
// change.
func ReadSecret(path string, least, most int) ([]byte, error) {
	if path == "" {
		return nil, errors.New("no file is given")
	}
	if err := errors.Join(CheckPrivate(path), CheckIgnoringOwner(path)); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	text = bytes.TrimSpace(text)
	if err == nil && (len(text) < least || len(text) > most) {
		err = fmt.Errorf("%s has %d bytes, from %d to %d make a secret: head -c 32 /dev/urandom | base64", path, len(text), least, most)
	}
	return text, err
}
