package server

import (
	"bufio"
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

	"fairbridge/api/listen"
)

// serveRaw serves the handler for attacks, with shorter times; it ends with the test.
func serveRaw(t *testing.T, limits listen.ConnLimits, change ...func(*http.Server)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := listen.NewHTTPServer(newTestHandler(t), nil, slog.New(slog.DiscardHandler))
	s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout = 300*time.Millisecond, 500*time.Millisecond, time.Second, 300*time.Millisecond
	for _, f := range change {
		f(s)
	}
	done := make(chan error)
	go func() { done <- s.Serve(listen.LimitConns(l, limits)) }()
	t.Cleanup(func() {
		_ = s.Close()
		<-done
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(2 * time.Minute))
	return c
}

// say sends bytes as they are and returns the first line of the answer, and all of it.
func say(t *testing.T, address, text string) (status, all string) {
	t.Helper()
	c := dial(t, address)
	if _, err := io.WriteString(c, text); err != nil {
		return "", err.Error()
	}
	raw, _ := io.ReadAll(c)
	status, _, _ = strings.Cut(string(raw), "\r\n")
	return status, string(raw)
}

// TestRawRequests sends what no client of ours sends.
func TestRawRequests(t *testing.T) {
	// Only a body that never comes is not waited for.
	address := serveRaw(t, listen.DefaultConnLimits(listen.KeyByAddress), func(s *http.Server) {
		s.ReadHeaderTimeout, s.WriteTimeout = time.Minute, time.Minute
	})
	ann := "Host: h\r\nAuthorization: Test ann\r\nConnection: close\r\n"
	for _, tt := range []struct{ text, want string }{
		{"GET /v1/me HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 200 OK"},
		{"GET /v1/me HTTP/1.0\r\nAuthorization: Test ann\r\n\r\n", "HTTP/1.0 200 OK"},
		{"GET /v1/me HTTP/1.1\r\nAuthorization: Test ann\r\n\r\n", "HTTP/1.1 400 Bad Request"},   // no Host
		{"GET /v1/me HTTP/1.1\r\n" + ann + "Authorization: Test bob\r\n\r\n", "HTTP/1.1 200 OK"}, // the fake sees both
		{"TRACE /v1/me HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 405 Method Not Allowed"},
		{"OPTIONS * HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 404 Not Found"},
		{"CONNECT evil:443 HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 404 Not Found"},
		{"GET http://evil/v1/me HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 200 OK"},
		{"GET /../../etc/passwd HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 404 Not Found"},
		{"GET /v1/jobs/..%2f..%2fetc%2fpasswd HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 200 OK"}, // an address like any other
		{"GET /v1/jobs/%zz HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 400 Bad Request"},
		{"GET /v1/me HTTP/1.1\r\n" + ann + "X: " + strings.Repeat("a", 30_000) + "\r\n\r\n", "HTTP/1.1 431 Request Header Fields Too Large"},
		{"GET /v1/me HTTP/1.1\r\n" + ann + strings.Repeat("X: a\r\n", 10_000) + "\r\n", "HTTP/1.1 431 Request Header Fields Too Large"},
		{"GET /" + strings.Repeat("a", 10_000) + " HTTP/1.1\r\n" + ann + "\r\n", "HTTP/1.1 413 Request Entity Too Large"},
		{"GET /v1/me HTTP/1.1\r\n" + ann + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", "HTTP/1.1 400 Bad Request"},
		{"GET /v1/me HTTP/1.1\r\n" + ann + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "HTTP/1.1 400 Bad Request"},
		{"POST /v1/actions HTTP/1.1\r\n" + ann + "Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{", "HTTP/1.1 400 Bad Request"},
		{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 404 Not Found"},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "HTTP/1.1 400 Bad Request"},
	} {
		if status, all := say(t, address, tt.text); !strings.HasPrefix(status, tt.want) {
			t.Errorf("%.60q: %.300q, want %s", tt.text, all, tt.want)
		}
	}
}

// TestSlowClientsEnd holds connections open in each way and wants them closed.
func TestSlowClientsEnd(t *testing.T) {
	address := serveRaw(t, listen.DefaultConnLimits(listen.KeyByAddress))
	head := "POST /v1/actions HTTP/1.1\r\nHost: h\r\nAuthorization: Test ann\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n"
	for name, text := range map[string]string{"says nothing": "", "half a line": "GET /v1", "half a header": head[:60], "half a body": head + `{"ki`} {
		c := dial(t, address)
		started := time.Now()
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		go func() { // a byte now and then does not help
			for {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
					_, _ = io.WriteString(c, "a")
				}
			}
		}()
		_, _ = io.Copy(io.Discard, c)
		close(stop)
		if took := time.Since(started); took > 20*time.Second {
			t.Errorf("%s: closed after %v", name, took)
		}
	}
}

// TestConnectionsAreBounded opens many more than may be, and wants those within to be served.
func TestConnectionsAreBounded(t *testing.T) {
	address := serveRaw(t, listen.ConnLimits{Total: 20, PerKey: 20, Key: listen.KeyByAddress}, func(s *http.Server) {
		s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout = time.Minute, time.Minute, time.Minute
	})
	ask := func(c net.Conn) error {
		if _, err := io.WriteString(c, "GET /v1/me HTTP/1.1\r\nHost: h\r\nAuthorization: Test ann\r\n\r\n"); err != nil {
			return err
		}
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && answer.StatusCode != 200 {
			err = fmt.Errorf("status %d", answer.StatusCode)
		}
		return err
	}
	first := dial(t, address)
	if err := ask(first); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 200)
	for range 200 {
		c := dial(t, address)
		go func() {
			_, err := c.Read(make([]byte, 1)) // nothing is asked: it ends when it is closed
			closed <- err
		}()
	}
	for range 200 - 19 { // with the first there are 20
		if err := <-closed; err == nil || os.IsTimeout(err) {
			t.Fatalf("a connection beyond the bound: %v", err)
		}
	}
	_ = first.SetDeadline(time.Now().Add(2 * time.Minute))
	if err := ask(first); err != nil {
		t.Errorf("a connection within the bound: %v", err)
	}
}

// TestSilentConnectionsKeepNobodyOut: who holds as many connections as an address may have, and says nothing, keeps no
// other user of the address from being answered, and neither do those who opened first and said a little.
func TestSilentConnectionsKeepNobodyOut(t *testing.T) {
	address := serveRaw(t, listen.ConnLimits{Total: 100, PerKey: 10, Key: listen.KeyByAddress}, func(s *http.Server) {
		s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout = time.Minute, time.Minute, time.Minute
	})
	for i := range 30 {
		if c := dial(t, address); i%2 == 0 {
			_, _ = io.WriteString(c, "GET ")
		}
	}
	const ask = "GET /v1/me HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Test ann\r\n\r\n"
	for range 5 {
		status, all := say(t, address, ask)
		if status != "HTTP/1.1 200 OK" {
			t.Errorf("beside silent ones: %.100q", all)
		}
	}
}

// TestUsersOfASocketAreToldApart wants who is refused on a unix socket to be bounded as the
// user that the kernel names, and not as all of them.
func TestUsersOfASocketAreToldApart(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	keys := make(chan string, 1)
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { keys <- addressKey(r) })
	s := listen.NewHTTPServer(h, func(ctx context.Context, c net.Conn) context.Context {
		if _, ok := c.(*net.UnixConn); !ok {
			t.Errorf("it is given a %T", c)
		}
		return ctx
	}, slog.New(slog.DiscardHandler))
	done := make(chan error)
	go func() { done <- s.Serve(listen.LimitConns(l, listen.DefaultConnLimits(listen.KeyByUser))) }()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if got, want := <-keys, fmt.Sprintf("uid %d", os.Getuid()); got != want {
		t.Errorf("a request is of %q, want %q", got, want)
	}
	_ = s.Close()
	<-done
}
