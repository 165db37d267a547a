package client

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/api"
)

// TestRefusals wants what the daemon tells, and what to try beside it.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header map[string]string
		status int
		body   string
		code   api.Code
		want   string
	}{
		{"told", nil, 404, `{"error":{"code":"not_found","message":"there is no job 5","try":"squeue shows yours"}}`, api.CodeNotFound, "there is no job 5: squeue shows yours"},
		{"clock", map[string]string{"Date": time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)}, 401,
			`{"error":{"code":"unauthenticated","message":"the credential is from the future"}}`, api.CodeUnauthenticated, "behind this host's: have both set right"},
		{"same clock", nil, 401, `{"error":{"code":"unauthenticated","message":"no credential"}}`, api.CodeUnauthenticated, "no credential"},
		{"busy", map[string]string{"Retry-After": "7"}, 429, `{"error":{"code":"too_many","message":"too many requests"}}`, api.CodeTooMany, "too many requests: try again in 7 s"},
		{"fault", map[string]string{"X-Request-Id": "ab12"}, 500, `{"error":{"code":"internal","message":"a fault"}}`, api.CodeInternal, "a fault: tell its operators request ab12"},
		{"page of a proxy", nil, 502, `<html>Bad Gateway</html>`, api.CodeUnavailable, "it answers 502 Bad Gateway (/v1/me): is that the address of fairbridge"},
		{"empty error", nil, 400, `{}`, api.CodeUnavailable, "it answers 400 Bad Request"},
		{"redirect", map[string]string{"Location": "https://evil.example/"}, 302, ``, api.CodeUnavailable, `points to "https://evil.example/", where nothing is sent`},
		{"no JSON", nil, 200, `<html>`, api.CodeUnavailable, "its answer cannot be read"},
		{"too large", nil, 200, `"` + strings.Repeat("a", 2<<20) + `"`, api.CodeTooLarge, "more than 1 MiB: ask for less"},
	} {
		c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
			for k, v := range tt.header {
				w.Header().Set(k, v)
			}
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		}, func(cfg *Config) { cfg.MaxReplyBytes = 1 << 20 })
		_, err := c.Me(t.Context())
		if err == nil || !strings.Contains(err.Error(), tt.want) || api.CodeOf(err) != tt.code {
			t.Errorf("%s: %v (%s), want %q (%s)", tt.name, err, api.CodeOf(err), tt.want, tt.code)
		}
		if tt.name == "same clock" && strings.Contains(err.Error(), "clock") {
			t.Errorf("it speaks of clocks: %v", err)
		}
	}
}

// TestUnreachable wants each way in which nothing is reached to say what to try.
func TestUnreachable(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, tt := range []struct {
		url, want string
	}{
		{"https://" + closed.Addr().String(), "does the daemon run"},
		{"https://no-such-host.invalid", "no host of that name is known"},
		{"unix://" + filepath.Join(t.TempDir(), "none.sock"), "no such socket"},
		{strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS"},
	} {
		c, err := New(Config{URL: tt.url})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Me(t.Context())
		var unreachable *UnreachableError
		if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.url) || api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("%s: %v", tt.url, err)
		}
	}
}

func TestUntrustedCertificates(t *testing.T) {
	c := newClient(t, func(http.ResponseWriter, *http.Request) {}, func(cfg *Config) { cfg.CAFile = "" })
	if _, err := c.Me(t.Context()); err == nil || !strings.Contains(err.Error(), "ca_file") {
		t.Errorf("an unknown authority: %v", err)
	}
	c = newClient(t, func(http.ResponseWriter, *http.Request) {}, func(cfg *Config) { cfg.URL = strings.Replace(cfg.URL, "127.0.0.1", "127.0.0.2", 1) })
	if _, err := c.Me(t.Context()); err == nil {
		t.Error("a certificate for another name is taken")
	}
	for err, want := range map[error]string{
		x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"}:                            "for another name",
		x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired}:              "not valid at this host's time",
		x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.TooManyIntermediates}: "have it made anew",
		fmt.Errorf("reading: %w", context.DeadlineExceeded):                                        "no answer within 3s",
		errors.New("anything else"):                   "is the address right",
		fmt.Errorf("reading: %w", io.EOF):             "touch the STOP file on the daemon's host",
		fmt.Errorf("reading: %w", syscall.ECONNRESET): "too many open",
	} {
		if got := adviseOn(err, 3*time.Second); !strings.Contains(got, want) {
			t.Errorf("%v: %s", err, got)
		}
	}
}

// TestSlowAnswersEnd wants a daemon that does not answer to be given up, and a caller that
// gave up to be told no advice.
func TestSlowAnswersEnd(t *testing.T) {
	slow := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	c := newClient(t, slow, func(cfg *Config) { cfg.Timeout = 50 * time.Millisecond })
	if _, err := c.Me(t.Context()); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("%v", err)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	if _, err := c.Me(ctx); !errors.Is(err, context.Canceled) || api.CodeOf(err) == api.CodeUnavailable {
		t.Errorf("%v", err)
	}
}
