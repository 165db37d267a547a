package daemon

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
)

// newAPIDaemon is a daemon whose Slurm and database are not there, as its configuration says
// of the API.
func newAPIDaemon(t *testing.T, text string) (*daemon, error) {
	t.Helper()
	return newAPIDaemonOver(t, "postgres://nobody@127.0.0.1:1/none?connect_timeout=1", text)
}

// newAPIDaemonOver is newAPIDaemon over a database.
func newAPIDaemonOver(t *testing.T, connection, text string) (*daemon, error) {
	t.Helper()
	dsn := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(dsn, []byte(connection), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := settings.Parse("f.yaml", fmt.Appendf(nil, "cluster: c\nslurm: {url: 'unix:///nonexistent', scontrol: ['false']}\ndatabase: {dsn_file: %s}\npartitions: [{name: gpu}]\napi: {%s}\n", dsn, text))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	db, err := system.OpenDB(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s, err := system.Open(f, db, log)
	if err != nil {
		t.Fatal(err)
	}
	d := newDaemon(s, log)
	return d, d.serveAPI()
}

// askSocket asks a path over a unix socket.
func askSocket(t *testing.T, socket, path string) (status int, body string) {
	t.Helper()
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	answer, err := client.Get("http://localhost" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(raw)
}

// TestAPIWithoutAnythingElse serves while neither Slurm nor Postgres is there: who asks is told
// by the kernel, and what is out of reach is said.
func TestAPIWithoutAnythingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	d, err := newAPIDaemon(t, "socket: "+path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- d.runServices(ctx) }()
	for target, want := range map[string]string{
		"/v1/me":                `"origin":"socket"`,
		"/v1/health":            `"database":false`,
		"/v1/openapi.json":      `"openapi": "3.0.3"`,
		"/v1/queue":             ``,
		"/v1/actions":           ``,
		"/page/queue":           `<h1>Not shown</h1>`,
		"/page/assets/page.css": `:root`,
		"/":                     `/v1/queue`,
	} {
		status, body := askSocket(t, path, target)
		if !strings.Contains(body, want) || status == http.StatusInternalServerError || strings.Contains(body, "127.0.0.1") {
			t.Errorf("%s: %d %s", target, status, body)
		}
	}
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the socket stays: %v", err)
	}
}

// TestAPIAddressesThatCannotBeHad wants each to name its key.
func TestAPIAddressesThatCannotBeHad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"socket: " + file:            "api.socket in the configuration",
		"socket: " + file + "/below": "api.socket in the configuration",
		"listen: '127.0.0.1:0', cert_file: /none, key_file: /none":                                                 "api.cert_file and api.key_file",
		"proxy_header: X-User, proxy_secret_file: /none, listen: '127.0.0.1:0', cert_file: /none, key_file: /none": "api in the configuration",
	} {
		if _, err := newAPIDaemon(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if d, err := newAPIDaemon(t, "socket: 'off'"); err != nil || len(d.services) != 1 {
		t.Errorf("it is served nowhere: %v, %d services", err, len(d.services))
	}
}

func TestSocketPath(t *testing.T) {
	for _, tt := range []struct{ configured, folder, want string }{
		{"", "", ""}, {"", "/run/fairbridge", "/run/fairbridge/api.sock"}, {"", "/run/a:/run/b", "/run/a/api.sock"},
		{"off", "/run/fairbridge", ""}, {"/tmp/x", "/run/fairbridge", "/tmp/x"},
	} {
		t.Setenv("RUNTIME_DIRECTORY", tt.folder)
		if got := (&settings.API{Socket: tt.configured}).SocketPath(); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestAListenerThatFailsEndsNothing wants cycles to go on when users can no longer be answered.
func TestAListenerThatFailsEndsNothing(t *testing.T) {
	d, err := newAPIDaemon(t, "socket: 'off'")
	if err != nil {
		t.Fatal(err)
	}
	who, err := system.NewIdentifier(d.File, nil, d.log)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	logged := make(chan string, 10)
	d.log = slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) { logged <- string(b); return len(b), nil }), nil))
	d.addHTTPService("api", l, http.NotFoundHandler(), who)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.runServices(ctx) }()
	for line := range logged {
		if strings.Contains(line, "users are no longer answered") {
			break
		}
	}
	select {
	case err := <-done:
		t.Errorf("the services ended: %v", err)
	default:
	}
	end()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
