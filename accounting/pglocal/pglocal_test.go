package pglocal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/scripts/executable"
	"fairbridge/scripts/verify/part"
)

// The test binary run with this variable starts a server, says where, and waits to be killed.
const holder = "FAIRBRIDGE_PGLOCAL_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holder) != "" {
		hold()
	}
	os.Exit(m.Run())
}

func hold() {
	s, err := Start(context.Background())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.dir)
	select {}
}

func start(t *testing.T) *Server {
	t.Helper()
	if testing.Short() && os.Getenv("FAIRBRIDGE_REQUIRE_PG") != "1" {
		t.Skip("needs Postgres: left to make test")
	}
	s, err := Start(t.Context())
	if errors.Is(err, ErrNoPostgres) && os.Getenv("FAIRBRIDGE_REQUIRE_PG") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestServerAnswersAndIsPrivate(t *testing.T) {
	s := start(t)
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var user, addresses string
	if err := conn.QueryRow(t.Context(), "select current_user, current_setting('listen_addresses')").Scan(&user, &addresses); err != nil {
		t.Fatal(err)
	}
	if user != superuserName || addresses != "" {
		t.Errorf("user %q listens on %q, want %q on no address", user, addresses, superuserName)
	}
	info, err := os.Stat(s.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory of the server: %v, %v; want mode 0700", info, err)
	}
}

func TestTwoServersSideBySide(t *testing.T) {
	a, b := start(t), start(t)
	if a.DSN("postgres") == b.DSN("postgres") {
		t.Error("two servers share an address")
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s := start(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	gone(t, s.dir)
}

func TestServerDiesWithItsParent(t *testing.T) {
	part.Long(t, testing.Short())
	start(t).Close() // skips where there is no Postgres
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holder+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if info, e := os.Stat(dir); err != nil || e != nil || !info.IsDir() {
		t.Fatalf("the holder said %q (%v, %v)", line, err, e)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, dir)
}

// gone fails the test unless directory and processes of a server vanish by themselves: in a second, on a busy machine later.
func gone(t *testing.T, dir string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, err := os.Stat(dir)
		left := naming(dir)
		if errors.Is(err, fs.ErrNotExist) && len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %v; processes left: %q", dir, err, left)
		}
	}
}

// naming lists the command lines that contain s.
func naming(s string) (found []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if strings.Contains(string(line), s) {
			found = append(found, string(line))
		}
	}
	return found
}

func TestStartReportsWhatTheServerSaid(t *testing.T) {
	if _, err := FindServerPrograms(); err != nil {
		t.Skip(err)
	}
	bin := t.TempDir()
	for name, text := range map[string]string{
		"initdb": "echo no space left on this disk >&2; exit 1", "pg_ctl": "exit 1", "postgres": "exit 1",
	} {
		if err := executable.Write(bin+"/"+name, []byte("#!/bin/sh\n"+text+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	for d := bin; d != "/tmp" && d != "/"; d = d[:strings.LastIndex(d, "/")] {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("FAIRBRIDGE_PG_BIN", bin)
	_, err := Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no space left on this disk") {
		t.Errorf("got %v, want what initdb said", err)
	}
}

func TestStartObeysContext(t *testing.T) {
	if _, err := FindServerPrograms(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if s, err := Start(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, %v; want deadline exceeded", s, err)
	}
}

func TestFindWithoutPostgres(t *testing.T) {
	t.Setenv("FAIRBRIDGE_PG_BIN", t.TempDir())
	if _, err := Start(t.Context()); !errors.Is(err, ErrNoPostgres) {
		t.Errorf("got %v, want ErrNoPostgres", err)
	}
}

func TestRelease(t *testing.T) {
	for path, want := range map[string]int{"/usr/lib/postgresql/15/bin": 15, "/usr/pgsql-9.6/bin": 9, "/usr/bin": 0} {
		if got := majorVersionInPath(path); got != want {
			t.Errorf("release(%s) = %d, want %d", path, got, want)
		}
	}
}
