// Package restconn carries requests to slurmrestd and sorts its answers into
// classes of errors. It knows nothing of jobs.
//
// Reading is a method of Conn and open to all who hold one. Writing is the
// function Post, which only packages below bridge/slurm can name: package writer
// is the one that does.
package restconn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/golang-jwt/jwt/v5"

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

// tokenClaims are what Slurm reads from a token: sun is the user's name.
type tokenClaims struct {
	jwt.RegisteredClaims
	User string `json:"sun,omitempty"`
}

// Token is what a token says of itself.
type Token struct {
	User       string
	Expires    time.Time // zero: never
	secretText secret
}

// Format prints a token without its text, whatever the verb.
func (t Token) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "token of %s", t.User) }

// parseToken reads a token without checking its signature, which only
// slurmctld can, and refuses those that cannot or must not be used. where
// names its source in errors, which never show the token.
func (c Config) parseToken(text secret, where string, now time.Time) (Token, error) {
	var cl tokenClaims
	if _, _, err := jwt.NewParser().ParseUnverified(string(text), &cl); err != nil {
		return Token{}, fmt.Errorf("the token in %s is not a JWT: make one with scontrol token username=%s lifespan=SECONDS", where, c.userOrDefault("USER"))
	}
	t := Token{User: cl.User, secretText: text}
	if cl.ExpiresAt != nil {
		t.Expires = cl.ExpiresAt.Time
	}
	switch {
	case t.User == "" && c.User == "":
		return t, fmt.Errorf("the token in %s names no user (claim sun): set user to the Slurm user it is for", where)
	case t.User == "":
		t.User = c.User
	case c.User != "" && t.User != c.User:
		return t, fmt.Errorf("the token in %s is for user %.64q, not for %q as configured", where, t.User, c.User)
	}
	if err := c.refusePowerfulUser(t.User); err != nil {
		return t, fmt.Errorf("the token in %s: %w", where, err)
	}
	if !t.Expires.IsZero() && !now.Before(t.Expires) {
		return t, fmt.Errorf("the token in %s expired at %s: renew it with scontrol token username=%s lifespan=SECONDS",
			where, t.Expires.UTC().Format(time.RFC3339), t.User)
	}
	if life := c.TokenLife; life > 0 && (t.Expires.IsZero() || t.Expires.Sub(now) > life) {
		return t, fmt.Errorf("the token in %s is good %s, and more than %s are not accepted (slurm.token_life): make one with scontrol token username=%s lifespan=3600, and renew it by cron",
			where, t.formatLife(now), formatDays(life), t.User)
	}
	return t, nil
}

// maxUnwarnedTokenLife is how much life a token may have left without a word.
const maxUnwarnedTokenLife = 30 * 24 * time.Hour

// WeaknessWarning says what is unwise about the token; "" when nothing is. Slurm
// cannot call a token back before it ends.
func (t Token) WeaknessWarning(now time.Time) string {
	if t.secretText == "" || !t.Expires.IsZero() && t.Expires.Sub(now) <= maxUnwarnedTokenLife {
		return ""
	}
	return fmt.Sprintf("the token of %s is good %s: whoever copies it can change every job until then, for Slurm cannot call it back", t.User, t.formatLife(now))
}

// formatLife says for how long the token is good: "for 400 days".
func (t Token) formatLife(now time.Time) string {
	if t.Expires.IsZero() {
		return "for ever"
	}
	return "for " + formatDays(t.Expires.Sub(now))
}

func formatDays(d time.Duration) string { return fmt.Sprintf("%.0f days", d.Hours()/24) }

func (c Config) userOrDefault(other string) string {
	if c.User != "" {
		return c.User
	}
	return other
}

// refusePowerfulUser turns down users who can act as anybody.
func (c Config) refusePowerfulUser(user string) error {
	if user == "root" || user == c.SlurmUser {
		return fmt.Errorf("user %s can act as anybody in Slurm: use a user of its own with sacctmgr modify user NAME set adminlevel=Operator", user)
	}
	for _, r := range user {
		if r < ' ' || r == 0x7f {
			return errors.New("the user's name has control characters")
		}
	}
	return nil
}

// dialTrusted connects to a unix socket whose other end is slurmrestd's, so that nobody else is given the token. It
// returns an error of kind "dial" where it is another user's: nothing was sent then.
func (c Config) dialTrusted(ctx context.Context, socket string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: min(10*time.Second, c.Timeout)}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	uid, err := peerUser(conn)
	if err == nil {
		err = c.checkPeer(uid)
	}
	if err != nil {
		return nil, errors.Join(&net.OpError{Op: "dial", Net: "unix", Addr: conn.RemoteAddr(), Err: err}, conn.Close())
	}
	return conn, nil
}

// peerUser returns the number of the user who listens at the other end of a unix socket.
func peerUser(conn net.Conn) (int, error) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("asking the kernel who listens: %w", err)
	}
	var cred *syscall.Ucred
	var told error
	err = raw.Control(func(fd uintptr) {
		cred, told = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err = errors.Join(err, told); err != nil {
		return 0, fmt.Errorf("asking the kernel who listens: %w", err)
	}
	return int(cred.Uid), nil
}

// checkPeer returns an error for a user who is not trusted with the token: trusted are root, this process's own user,
// and the configured one, or without that those a slurmrestd usually runs as.
func (c Config) checkPeer(uid int) error {
	if uid == 0 || uid == os.Geteuid() {
		return nil
	}
	names := []string{"slurmrestd-fairbridge", "slurmrestd", c.SlurmUser}
	if c.SocketUser != "" {
		names = []string{c.SocketUser}
	}
	number := strconv.Itoa(uid)
	if slices.ContainsFunc(names, func(name string) bool { return name == number || userNumber(name) == number }) {
		return nil
	}
	return fmt.Errorf("user %d listens there, who is neither root, the user of this process nor %s: nothing was sent; "+
		"end it, or set slurm.socket_user to the user that slurmrestd runs as", uid, strings.Join(names, " nor "))
}

// userNumber returns the number of a user of this host; "" when there is none of that name.
func userNumber(name string) string {
	u, err := user.Lookup(name)
	if err != nil {
		return ""
	}
	return u.Uid
}
