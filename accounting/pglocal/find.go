package pglocal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
)

// ErrNoPostgres says that this machine has no Postgres server programs.
var ErrNoPostgres = errors.New("no Postgres server programs here (looked in FAIRBRIDGE_PG_BIN, /usr/lib/postgresql, " +
	"/usr/pgsql-*, pg_config and PATH); on Debian: apt-get install postgresql")

// FindServerPrograms returns the directory of initdb, pg_ctl and postgres: FAIRBRIDGE_PG_BIN if set, else the newest release of the
// distribution's directories, else what pg_config or PATH name. The error is ErrNoPostgres when there is none.
func FindServerPrograms() (string, error) {
	if dir := os.Getenv("FAIRBRIDGE_PG_BIN"); dir != "" {
		if !hasServerPrograms(dir) {
			return "", fmt.Errorf("FAIRBRIDGE_PG_BIN=%s lacks initdb, pg_ctl or postgres: %w", dir, ErrNoPostgres)
		}
		return dir, nil
	}
	for _, dir := range listCandidateDirs() {
		if hasServerPrograms(dir) {
			return dir, nil
		}
	}
	return "", ErrNoPostgres
}

func listCandidateDirs() []string {
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	redhat, _ := filepath.Glob("/usr/pgsql-*/bin")
	dirs := append(debian, redhat...)
	sort.SliceStable(dirs, func(i, j int) bool { return majorVersionInPath(dirs[i]) > majorVersionInPath(dirs[j]) })
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	return append(dirs, filepath.SplitList(os.Getenv("PATH"))...)
}

// majorVersionInPath is the first number in a path such as /usr/lib/postgresql/15/bin, or 0.
func majorVersionInPath(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[0])
	return n
}

func hasServerPrograms(dir string) bool {
	for _, name := range []string{"initdb", "pg_ctl", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return filepath.IsAbs(dir)
}

// findUnprivilegedUser is whom root runs the server as, since Postgres refuses root; nil for anybody else.
func findUnprivilegedUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("reading the ids of user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("starting Postgres as root, which it refuses: no user postgres or nobody to start it as")
}

// makeServerDir makes the server's directory, closed to others. Its path is short, as a socket's must be, and for root's
// server in /tmp, which the other user can reach.
func makeServerDir(who *syscall.Credential) (string, error) {
	const longest = 60
	base := os.TempDir()
	if who != nil || len(base) > longest {
		base = "/tmp"
	}
	dir, err := os.MkdirTemp(base, "fairbridge-pg-")
	if err != nil || who == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(who.Uid), int(who.Gid))
}
