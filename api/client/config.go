// Package client asks the daemon over HTTP: the other side of package server. It reads no
// environment and no file but the CA's, follows no redirect and goes through no proxy, so
// that what proves who asks goes nowhere else.
package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"fairbridge/api/credential"
)

// Prover makes what proves who asks: the value of header Authorization for one request.
type Prover interface {
	Prove(ctx context.Context, method, requestURI, host string, body []byte) (string, error)
}

// Config says where the daemon is and how it is asked.
type Config struct {
	// URL is https://HOST:PORT, or unix:///run/fairbridge/api.sock on the daemon's host.
	URL string
	// CAFile has the certificates that the server's is checked by, PEM; "": the host's.
	CAFile string
	// Munge is the command that proves who asks over https; over a unix socket the kernel
	// tells. Empty: nothing does, and only what is public is answered.
	Munge   []string
	Prover  Prover        // in place of Munge, unless nil
	Timeout time.Duration // of one request with its answer; 0: DefaultTimeout
	// MaxReplyBytes is the most that is read of an answer, unpacked; 0: DefaultMaxReplyBytes.
	MaxReplyBytes int64
	UserAgent     string // "": fairbridge
	// AllowPlainHTTP allows http:// to this host's own addresses. It is for tests.
	AllowPlainHTTP bool
}

// What holds where a Config does not say.
const (
	DefaultTimeout       = 30 * time.Second
	DefaultMaxReplyBytes = 256 << 20
)

// Client asks one daemon. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base string // scheme and host
	http *http.Client
}

// New prepares a client; nothing is sent. An address that cannot be one and a CA file that
// cannot be read are errors that say so.
func New(cfg Config) (*Client, error) {
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.MaxReplyBytes == 0 {
		cfg.MaxReplyBytes = DefaultMaxReplyBytes
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "fairbridge"
	}
	if cfg.Prover == nil && len(cfg.Munge) > 0 {
		cfg.Prover = &MungeProver{cfg.Munge}
	}
	c := &Client{cfg: cfg}
	transport := &http.Transport{MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: 30 * time.Second}
	if err := c.setAddress(transport); err != nil {
		return nil, fmt.Errorf("the address of the daemon %q: %w", cfg.URL, err)
	}
	if err := setAuthority(transport, cfg.CAFile); err != nil {
		return nil, fmt.Errorf("ca_file %s: %w", cfg.CAFile, err)
	}
	c.http = &http.Client{Transport: transport, Timeout: cfg.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// setAddress reads the URL.
func (c *Client) setAddress(transport *http.Transport) error {
	u, err := url.Parse(c.cfg.URL)
	if err != nil {
		return errors.New("it cannot be read: write https://HOST:PORT or unix:///PATH")
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("it has more than scheme, host and port: write https://HOST:PORT")
	case u.Scheme == "unix":
		return c.setSocket(transport, u)
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it must begin with https:// or unix://")
	case u.Hostname() == "":
		return errors.New("it names no host: write https://HOST:PORT")
	case u.Path != "" && u.Path != "/":
		return errors.New("it has a path: write https://HOST:PORT without one")
	case u.Scheme == "http" && !(c.cfg.AllowPlainHTTP && isOwnAddress(u.Hostname())):
		return errors.New("http:// is not protected on its way: write https://")
	}
	c.base = u.Scheme + "://" + u.Host
	return nil
}

func (c *Client) setSocket(transport *http.Transport, u *url.URL) error {
	if u.Host != "" || !filepath.IsAbs(u.Path) {
		return errors.New("a socket needs its whole path: write unix:///run/fairbridge/api.sock")
	}
	c.base = "http://localhost" // a name for the header; the socket is where it goes
	c.cfg.Prover = nil
	transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", u.Path)
	}
	return nil
}

func isOwnAddress(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// setAuthority has the server's certificate checked by those in the file.
func setAuthority(transport *http.Transport, file string) error {
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return errors.New("there is no certificate in it: it must be PEM, -----BEGIN CERTIFICATE-----")
	}
	transport.TLSClientConfig.RootCAs = pool
	return nil
}

// MungeProver proves who asks by a munge credential for each request.
type MungeProver struct {
	Command []string // munge, with what must stand beside it
}

// Prove makes the credential. An error says what to try.
func (m *MungeProver) Prove(ctx context.Context, method, requestURI, host string, body []byte) (string, error) {
	text, err := credential.Encode(ctx, m.Command, credential.NewPayload(method, requestURI, host, body))
	if err != nil {
		return "", err
	}
	return "Munge " + text, nil
}
