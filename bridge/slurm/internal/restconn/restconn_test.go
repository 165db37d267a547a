package restconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/decode"
)

// dial connects to a handler with a good token.
func dial(t testing.TB, h http.HandlerFunc, change func(*Config)) *Conn {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	cfg := Config{URL: srv.URL, TokenFile: fileWith(t, mint(t, "fairbridge", time.Now().Add(time.Hour))), Timeout: time.Minute}
	if change != nil {
		change(&cfg)
	}
	c, err := NewConn(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func say(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func errorsOf(number int) string {
	return fmt.Sprintf(`{"meta":{},"errors":[{"description":"d","error_number":%d,"error":"e","source":"s"}],"jobs":[]}`, number)
}

func readJobs(r io.Reader) (slurm.ReplyMeta, error) {
	_, m, err := new(decode.Decoder).Jobs(r, nil)
	return m, err
}

func class(err error) slurm.ErrorClass {
	var e *slurm.Error
	if errors.As(err, &e) {
		return e.Class
	}
	return slurm.ErrorClass(fmt.Sprintf("not a *slurm.Error: %v", err))
}

const asJSON = "application/json"

func TestAnswersAreClassified(t *testing.T) {
	for _, c := range []struct {
		name      string
		h         http.HandlerFunc
		get, post slurm.ErrorClass
	}{
		{"no token", say(401, "text/plain", "Authentication failure"), slurm.ErrorBadToken, slurm.ErrorBadToken},
		{"bad token", say(511, asJSON, errorsOf(1007)), slurm.ErrorBadToken, slurm.ErrorBadToken},
		{"version gone", say(404, "text/plain", "Unable to find requested URL endpoint."), slurm.ErrorVersionNotServed, slurm.ErrorVersionNotServed},
		{"no such job", say(404, asJSON, errorsOf(2017)), slurm.ErrorJobGone, slurm.ErrorJobGone},
		{"no such job, 22.05", say(500, asJSON, errorsOf(2017)), slurm.ErrorJobGone, slurm.ErrorJobGone},
		{"started meanwhile", say(422, asJSON, errorsOf(2073)), slurm.ErrorJobChanged, slurm.ErrorJobChanged},
		{"held", say(500, asJSON, errorsOf(2042)), slurm.ErrorJobChanged, slurm.ErrorJobChanged},
		{"no right", say(500, asJSON, errorsOf(2002)), slurm.ErrorForbidden, slurm.ErrorForbidden},
		{"our fault", say(422, asJSON, errorsOf(9000)), slurm.ErrorBadRequest, slurm.ErrorBadRequest},
		{"22.05: 200 with errors", say(200, asJSON, errorsOf(9001)), slurm.ErrorBadRequest, slurm.ErrorBadRequest},
		{"22.05: which error tells", say(500, asJSON, `{"errors":[{"error_number":-1,"error":"?"},{"error_code":2054,"error":"time"},{"error_number":9001}],"jobs":[]}`), slurm.ErrorBadRequest, slurm.ErrorBadRequest},
		{"22.05: array updated", say(200, asJSON, `{"errors":[{"description":"job array update from [localhost]:1 failed","source":"_parse_job_list"}],"jobs":[]}`), "", ""},
		{"22.05: array partly updated", say(200, asJSON, `{"errors":[{"description":"job array update from [localhost]:1 failed"},
			{"description":"job array update from [localhost]:1 failed","error_number":2073}],"jobs":[]}`), slurm.ErrorJobChanged, slurm.ErrorJobChanged},
		{"slurmctld not reached", say(502, asJSON, errorsOf(1800)), slurm.ErrorUnreachable, slurm.ErrorUnreachable},
		{"slurmctld down or token, 22.05", say(500, asJSON, errorsOf(-1)), slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"slurmctld down, write", say(500, asJSON, errorsOf(1000)), slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"slurmctld silent", say(500, asJSON, errorsOf(1003)), slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"standby controller", say(500, asJSON, errorsOf(2027)), slurm.ErrorBusy, slurm.ErrorBusy},
		{"unknown number", say(500, asJSON, errorsOf(77777)), slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"too many", say(429, "text/plain", ""), slurm.ErrorBusy, slurm.ErrorBusy},
		{"proxy without backend", say(502, "text/html", "<html>Bad Gateway"), slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"HTML", say(200, "text/html", "<html>login"), slurm.ErrorGarbledReply, slurm.ErrorOutcomeUnknown},
		{"HTML as JSON", say(200, asJSON, "<html>login"), slurm.ErrorGarbledReply, slurm.ErrorOutcomeUnknown},
		{"empty", say(200, asJSON, ""), slurm.ErrorGarbledReply, slurm.ErrorOutcomeUnknown},
		{"cut", say(200, asJSON, `{"jobs":[{"job_id":1`), slurm.ErrorGarbledReply, slurm.ErrorOutcomeUnknown},
		{"cut by the wire", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", asJSON)
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"jobs":[`)
		}, slurm.ErrorGarbledReply, slurm.ErrorOutcomeUnknown},
		{"hung up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"silent", func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // else the server does not notice that the client has left
			<-r.Context().Done()
		}, slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"slow", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", asJSON)
			for range 100 {
				io.WriteString(w, strings.Repeat(" ", 5000))
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		}, slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, slurm.ErrorBusy, slurm.ErrorOutcomeUnknown},
		{"a field was ignored", say(200, asJSON, `{"errors":[],"warnings":[{"description":"Ignoring unknown field"}],"jobs":[]}`), "", slurm.ErrorOutcomeUnknown},
		{"single tasks failed", say(200, asJSON, `{"errors":[],"results":[{"job_id":1,"step_id":"1_2","error_code":2073}],"jobs":[]}`), "", slurm.ErrorJobChanged},
		{"good", say(200, asJSON, `{"errors":[],"warnings":[],"jobs":[]}`), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, c.h, func(cfg *Config) {
				if c.name == "silent" || c.name == "slow" { // the others answer, on a busy machine not soon
					cfg.Timeout = 500 * time.Millisecond
				}
			})
			_, err := conn.Get(t.Context(), "/slurm/v0.0.42/jobs", readJobs)
			if got := class(err); err != nil && got != c.get || err == nil && c.get != "" {
				t.Errorf("GET: %v, want %q", err, c.get)
			}
			err = Post(t.Context(), conn, "/slurm/v0.0.42/job/1", []byte(`{}`))
			if got := class(err); err != nil && got != c.post || err == nil && c.post != "" {
				t.Errorf("POST: %v, want %q", err, c.post)
			}
			if conn.WriteCount() != 1 {
				t.Errorf("%d writes counted", conn.WriteCount())
			}
		})
	}
}

func TestHugeAnswer(t *testing.T) {
	conn := dial(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", asJSON)
		io.WriteString(w, `{"errors":[],"jobs":[]`+strings.Repeat(" ", 100_000)+"}")
	}, func(c *Config) { c.MaxBytes = 50_000 })
	_, err := conn.Get(t.Context(), "/x", readJobs)
	if class(err) != slurm.ErrorGarbledReply || !errors.Is(err, errReplyTooLarge) {
		t.Fatal(err)
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	conn := dial(t, nil, func(c *Config) { c.URL = "http://" + l.Addr().String() })
	if _, err := conn.Get(t.Context(), "/x", readJobs); class(err) != slurm.ErrorUnreachable {
		t.Error(err)
	}
	if err := Post(t.Context(), conn, "/x", nil); class(err) != slurm.ErrorUnreachable {
		t.Error(err)
	}
}

func TestOnlyReadsAreRetried(t *testing.T) {
	var calls atomic.Int64
	conn := dial(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) < 3 {
			w.WriteHeader(503)
			return
		}
		say(200, asJSON, `{"errors":[],"jobs":[]}`)(w, r)
	}, nil)
	if _, err := conn.Get(t.Context(), "/x", readJobs); err != nil || calls.Load() != 3 {
		t.Errorf("GET: %v after %d calls", err, calls.Load())
	}
	calls.Store(0)
	if err := Post(t.Context(), conn, "/x", nil); class(err) != slurm.ErrorOutcomeUnknown || calls.Load() != 1 {
		t.Errorf("POST: %v after %d calls", err, calls.Load())
	}
}

// TestLostConnectionIsNotTriedAgain: the connection ends after the request was
// read, so Slurm may have carried it out. Neither we nor the HTTP library below,
// nor a connection kept from an earlier call, may send it twice.
func TestLostConnectionIsNotTriedAgain(t *testing.T) {
	var calls atomic.Int64
	lose := false
	conn := dial(t, func(w http.ResponseWriter, r *http.Request) {
		if !lose {
			say(200, asJSON, `{"errors":[]}`)(w, r)
			return
		}
		calls.Add(1)
		io.Copy(io.Discard, r.Body)
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		c.Close()
	}, nil)
	if err := Post(t.Context(), conn, "/x", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	lose = true
	if err := Post(t.Context(), conn, "/x", []byte("{}")); class(err) != slurm.ErrorOutcomeUnknown || calls.Load() != 1 {
		t.Errorf("POST: %v after %d calls", err, calls.Load())
	}
}

func TestHeaders(t *testing.T) {
	var seen http.Header
	conn := dial(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		say(200, asJSON, `{"errors":[],"jobs":[]}`)(w, r)
	}, nil)
	if err := Post(t.Context(), conn, "/x", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if seen.Get("X-Slurm-User-Name") != "fairbridge" || seen.Get("Content-Type") != asJSON || strings.Count(seen.Get("X-Slurm-User-Token"), ".") != 2 {
		t.Error(seen)
	}
}

func TestExpiredTokenIsNotSent(t *testing.T) {
	var calls atomic.Int64
	conn := dial(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) }, nil)
	conn.tokenSource.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	_, err := conn.Get(t.Context(), "/x", readJobs)
	if class(err) != slurm.ErrorBadToken || !strings.Contains(err.Error(), "expired at") || calls.Load() != 0 {
		t.Fatal(err, calls.Load())
	}
	if class(Post(t.Context(), conn, "/x", nil)) != slurm.ErrorBadToken || calls.Load() != 0 {
		t.Fatal("sent")
	}
}

func TestUnixSocketNeedsNoToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var seen http.Header
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		say(200, asJSON, `{"errors":[],"jobs":[]}`)(w, r)
	})}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	conn, err := NewConn(Config{URL: "unix://" + path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Get(context.Background(), "/x", readJobs); err != nil {
		t.Fatal(err)
	}
	if _, ok := seen["X-Slurm-User-Token"]; ok {
		t.Error("sent a token")
	}
}

func TestTLS(t *testing.T) {
	srv := httptest.NewTLSServer(say(200, asJSON, `{"errors":[],"jobs":[]}`))
	t.Cleanup(srv.Close)
	cfg := Config{URL: srv.URL, TokenFile: fileWith(t, mint(t, "fairbridge", time.Now().Add(time.Hour)))}
	conn, err := NewConn(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Get(t.Context(), "/x", readJobs); class(err) != slurm.ErrorUnreachable && class(err) != slurm.ErrorBusy {
		t.Errorf("unknown authority: %v", err)
	}
	cfg.CAFile = fileWith(t, pemOf(srv.Certificate().Raw))
	if conn, err = NewConn(cfg); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Get(t.Context(), "/x", readJobs); err != nil {
		t.Error(err)
	}
	cfg.CAFile = fileWith(t, "no certificate")
	if _, err := NewConn(cfg); err == nil || !strings.Contains(err.Error(), "holds no certificate") {
		t.Error(err)
	}
}
