package restconn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"fairbridge/bridge/slurm"
)

// Conn is a way to one slurmrestd. It is safe for concurrent use.
type Conn struct {
	cfg         Config
	tokenSource tokenSource
	readClient  *resty.Client
	writeClient *resty.Client
	writeCount  atomic.Int64
}

// NewConn prepares a connection; nothing is sent. It returns an error for an
// impossible configuration or a token that cannot be used.
func NewConn(cfg Config) (*Conn, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	transport, err := cfg.newTransport()
	if err != nil {
		return nil, err
	}
	c := &Conn{cfg: cfg, tokenSource: tokenSource{cfg: cfg, now: time.Now}}
	if _, err := c.tokenSource.currentToken(); err != nil {
		return nil, &slurm.Error{Class: slurm.ErrorBadToken, Err: err}
	}
	c.readClient, c.writeClient = cfg.newHTTPClient(transport), cfg.newHTTPClient(transport)
	c.readClient.SetRetryCount(2).SetRetryWaitTime(100 * time.Millisecond).SetRetryMaxWaitTime(time.Second).
		AddRetryCondition(isWorthRetrying).AddRetryHook(closeBody)
	return c, nil
}

// User returns the Slurm user requests are made as; "" when slurmrestd decides
// (unix socket without a token).
func (c *Conn) User() string {
	t, err := c.tokenSource.currentToken()
	if err != nil {
		return c.cfg.User
	}
	return t.User
}

// Token returns what the current token says of itself.
func (c *Conn) Token() (Token, error) { return c.tokenSource.currentToken() }

// MaxBytes returns the bound on one answer.
func (c *Conn) MaxBytes() int64 { return c.cfg.MaxBytes }

// WriteCount counts the writes put on the wire so far, answered or not.
func (c *Conn) WriteCount() int64 { return c.writeCount.Load() }

// newHTTPClient returns a resty client that sends each request once and follows no
// redirects, which would carry the token elsewhere.
func (c Config) newHTTPClient(t *http.Transport) *resty.Client {
	base, _, _ := c.parseURL() // checked by withDefaults
	return resty.NewWithClient(&http.Client{Transport: t}).
		SetBaseURL(base).SetRedirectPolicy(resty.NoRedirectPolicy()).
		SetLogger(silentLogger{}).SetDisableWarn(true).
		SetHeader("Accept", "application/json").SetDoNotParseResponse(true)
}

// newTransport goes straight to slurmrestd: proxies of the environment are for
// the web, and must not see tokens.
func (c Config) newTransport() (*http.Transport, error) {
	dialer := &net.Dialer{Timeout: min(10*time.Second, c.Timeout)}
	t := &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: 4,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 10 * time.Second}
	if _, socket, _ := c.parseURL(); socket != "" {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dialTrusted(ctx, socket) }
	}
	if c.CAFile == "" {
		return t, nil
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("reading slurmrestd's certificate authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", c.CAFile)
	}
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return t, nil
}

// sendRequest sends one request. connected reports whether a connection was had,
// without which nothing can have been sent.
func (c *Conn) sendRequest(ctx context.Context, via *resty.Client, method, path string, body []byte) (resp *resty.Response, connected bool, err error) {
	tok, err := c.tokenSource.currentToken()
	if err != nil {
		return nil, false, &slurm.Error{Class: slurm.ErrorBadToken, Err: err}
	}
	var got atomic.Bool
	r := via.R().SetContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) }}))
	if tok.secretText != "" {
		r.SetHeader("X-SLURM-USER-TOKEN", string(tok.secretText))
	}
	if tok.User != "" {
		r.SetHeader("X-SLURM-USER-NAME", tok.User)
	}
	if body != nil {
		r.SetHeader("Content-Type", "application/json").SetBody(body)
	}
	resp, err = r.Execute(method, path)
	return resp, got.Load(), err
}

// isWorthRetrying reports whether a request is sent again: only one that certainly
// reached no server, or a proxy without a backend.
func isWorthRetrying(r *resty.Response, err error) bool {
	if err != nil {
		_, ok := asDialError(err)
		return ok
	}
	return r != nil && r.StatusCode() == http.StatusServiceUnavailable
}

func closeBody(r *resty.Response, _ error) {
	if r != nil && r.RawResponse != nil {
		io.Copy(io.Discard, io.LimitReader(r.RawBody(), 64<<10))
		r.RawBody().Close()
	}
}

// silentLogger drops resty's own messages: errors are returned, and logged once, at
// the top.
type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}

func (silentLogger) Warnf(string, ...any) {}

func (silentLogger) Debugf(string, ...any) {}
