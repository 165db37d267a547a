// Package pglocal runs a private, throw-away Postgres from the binaries this machine has, for tests and demonstrations.
// It listens on a Unix socket in a directory of its own and on no TCP port, so it never meets another server, and it
// ends with the process that started it, however that ends.
package pglocal

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

//go:embed watch.sh
var watchScript string

// superuserName is the only role the server has at its start.
const superuserName = "fairbridge"

// Server is a running private Postgres.
type Server struct {
	dir       string
	watcher   *exec.Cmd
	lifePipe  *os.File // while this end of the pipe is open, the server lives
	removeDir func() error
}

// Start makes a data directory and starts a server on it; about a second. It is made for data nobody
// needs tomorrow: a crash of the machine may destroy it. Run by root, the server belongs to user postgres or nobody.
// The error is ErrNoPostgres when this machine has no Postgres. Call Close at the end.
func Start(ctx context.Context) (*Server, error) {
	bin, err := FindServerPrograms()
	if err != nil {
		return nil, err
	}
	who, err := findUnprivilegedUser()
	if err != nil {
		return nil, err
	}
	dir, err := makeServerDir(who)
	if err != nil {
		return nil, fmt.Errorf("making a directory for Postgres: %w", err)
	}
	s, err := startServer(ctx, bin, dir, who)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func startServer(ctx context.Context, bin, dir string, who *syscall.Credential) (*Server, error) {
	said, says, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer said.Close()
	cmd := exec.Command("/bin/sh", "-c", watchScript, "fairbridge-postgres", bin, dir)
	cmd.Dir, cmd.Stdout = dir, says
	cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: who} // Ctrl-C is for us alone
	ends, life, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, says.Close())
	}
	cmd.Stdin = ends
	err = cmd.Start()
	says.Close()
	ends.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting Postgres: %w", err), life.Close())
	}
	s := &Server{dir: dir, watcher: cmd, lifePipe: life}
	s.removeDir = sync.OnceValue(s.stopProcess)
	if err := awaitReady(ctx, said); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		return nil, errors.Join(fmt.Errorf("starting Postgres from %s: %w: %s", bin, err, lastLogLines(log)), s.Close())
	}
	return s, nil
}

// awaitReady returns when the server takes connections, when its start failed, or when ctx ends.
func awaitReady(ctx context.Context, said *os.File) error {
	stop := context.AfterFunc(ctx, func() { _ = said.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	line, err := bufio.NewReader(said).ReadString('\n')
	switch {
	case line == "ready\n":
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("no server came up (%w)", err)
}

func lastLogLines(log []byte) string {
	const most = 600
	return strings.TrimSpace(string(log[max(0, len(log)-most):]))
}

// DSN is the connection string of a database of this server; "postgres" always exists.
func (s *Server) DSN(database string) string {
	q := url.Values{"host": {s.dir}, "user": {superuserName}}
	return (&url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: q.Encode()}).String()
}

// Close stops the server at once and removes its data. Later calls return what the first returned.
func (s *Server) Close() error { return s.removeDir() }

func (s *Server) stopProcess() error {
	s.lifePipe.Close()
	if err := s.watcher.Wait(); err != nil {
		return errors.Join(fmt.Errorf("stopping Postgres in %s: %w", s.dir, err), os.RemoveAll(s.dir))
	}
	return nil
}
