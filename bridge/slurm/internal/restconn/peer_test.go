package restconn

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

// TestAStrangerOnTheSocketGetsNoToken has another user of this host listen where slurmrestd should: nothing is sent.
func TestAStrangerOnTheSocketGetsNoToken(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to listen as another user")
	}
	dir, err := os.MkdirTemp("", "peer") // its parents may be entered by everybody
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	const stranger = 54321
	path := filepath.Join(dir, "s")
	heard := listenAs(t, stranger, path)
	token := fileWith(t, mint(t, "fairbridge", time.Now().Add(time.Hour)))
	cfg := Config{URL: "unix://" + path, TokenFile: token, Timeout: 5 * time.Second}
	conn, err := NewConn(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Get(t.Context(), "/x", readJobs)
	if class(err) != slurm.ErrorUnreachable || !strings.Contains(err.Error(), "set slurm.socket_user") {
		t.Errorf("got %v, want a refusal that says what to do", err)
	}
	if text, _ := os.ReadFile(heard); len(text) > 0 {
		t.Errorf("the stranger heard %q", text)
	}
	cfg.SocketUser = strconv.Itoa(stranger)
	if conn, err = NewConn(cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Get(t.Context(), "/x", readJobs); err != nil {
		t.Errorf("the configured user is not believed: %v", err)
	}
}

// listenAs answers requests on a socket as another user, and returns the file that has what was heard.
func listenAs(t *testing.T, uid int, path string) (heard string) {
	t.Helper()
	const program = `
import os, socket, sys
uid, path = int(sys.argv[1]), sys.argv[2]
os.setgroups([]); os.setgid(uid); os.setuid(uid)
s = socket.socket(socket.AF_UNIX); s.bind(path); os.chmod(path, 0o777); s.listen()
body = b'{"errors":[],"jobs":[]}'
while True:
    c = s.accept()[0]; text = c.recv(65536)
    open(path + ".heard", "ab").write(text)
    if text:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        c.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    c.close()
`
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(python, "-c", program, strconv.Itoa(uid), path)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 600 {
		if c, err := net.Dial("unix", path); err == nil {
			_ = c.Close()
			return path + ".heard"
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("nobody listens")
	return ""
}

// TestWhoIsTrusted: root and we ourselves always, others by name or number.
func TestWhoIsTrusted(t *testing.T) {
	nobody, err := strconv.Atoi(userNumber("nobody"))
	if err != nil {
		t.Skip("there is no user nobody")
	}
	for _, tt := range []struct {
		cfg     Config
		uid     int
		trusted bool
	}{
		{Config{}, 0, true}, {Config{}, os.Geteuid(), true}, {Config{}, nobody, false},
		{Config{SocketUser: "nobody"}, nobody, true}, {Config{SlurmUser: "nobody"}, nobody, true},
		{Config{SocketUser: "slurmrestd", SlurmUser: "nobody"}, nobody, false},
		{Config{SocketUser: "54321"}, 54321, true}, {Config{SocketUser: "no such user"}, 54321, false},
		{Config{}, 54321, false},
	} {
		if err := tt.cfg.checkPeer(tt.uid); (err == nil) != tt.trusted {
			t.Errorf("%+v, user %d: %v", tt.cfg, tt.uid, err)
		}
	}
}
