package daemon

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Names are the hosts and ports by which a daemon is asked over TLS: those of its URL and of the
// address that it listens on, and the names in its certificate with either port. A wildcard in
// the certificate is no name: what else it covers need not be this daemon.
type Names struct {
	hosts, ports []string
	certificate  *Certificate // nil: it has no names
}

// NewNames returns the names of a daemon that listens on host:port, and is reached by a URL
// ("": by what it listens on).
func NewNames(listen, ownURL string) *Names {
	n := &Names{}
	if u, err := url.Parse(ownURL); ownURL != "" && err == nil {
		n.add(u.Host)
	}
	n.add(listen)
	return n
}

// add takes a host and its port. An address that stands for all of a host is no name.
func (n *Names) add(hostPort string) {
	if hostPort == "" {
		return
	}
	host, port, ok := splitHost(hostPort)
	if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.IsUnspecified()) {
		n.hosts = append(n.hosts, host)
	}
	if number, err := net.LookupPort("tcp", port); ok && err == nil {
		n.ports = append(n.ports, strconv.Itoa(number))
	}
}

// Use adds the names in a certificate, as it is at any time. It is called before others ask.
func (n *Names) Use(c *Certificate) { n.certificate = c }

// IsOwn reports whether a request's Host names this daemon.
func (n *Names) IsOwn(hostPort string) bool {
	host, port, ok := splitHost(hostPort)
	return ok && host != "" && slices.Contains(n.ports, port) && (slices.Contains(n.hosts, host) || n.leaf().VerifyHostname(host) == nil)
}

// List has the names as one may ask by them, the best first.
func (n *Names) List() (all []string) {
	if len(n.ports) == 0 {
		return nil
	}
	leaf := n.leaf()
	hosts := append(slices.Clone(n.hosts), leaf.DNSNames...)
	for _, ip := range leaf.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	for _, host := range hosts {
		name := "https://" + strings.TrimSuffix(net.JoinHostPort(host, n.ports[0]), ":"+httpsPort)
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// leaf is the certificate as it is now, without wildcards.
func (n *Names) leaf() *x509.Certificate {
	leaf := &x509.Certificate{}
	if n.certificate != nil && n.certificate.current().Leaf != nil {
		*leaf = *n.certificate.current().Leaf
	}
	leaf.DNSNames = slices.DeleteFunc(slices.Clone(leaf.DNSNames), func(name string) bool { return strings.Contains(name, "*") })
	return leaf
}

const httpsPort = "443"

// splitHost splits what names a host, and the port of https where it names none.
func splitHost(hostPort string) (host, port string, ok bool) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil { // without a port
		host, port, err = net.SplitHostPort(hostPort + ":" + httpsPort)
	}
	return strings.TrimSuffix(strings.ToLower(host), "."), port, err == nil
}

// Certificate is a certificate with its key, read again when one of the files changes.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu    sync.Mutex
	now   *tls.Certificate
	files fileStates // of now, or of those that could not be read
}

// fileStates tell whether the files are other ones.
type fileStates [2]struct {
	changed time.Time
	size    int64
}

// NewCertificate reads a certificate and its key, PEM.
func NewCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log, files: readStates(certFile, keyFile)}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	c.now = &pair
	return c, err
}

// Config is that of a server that shows the certificate.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return c.current(), nil
	}}
}

// current is the certificate of the files as they are; where they cannot be read, or do not
// belong together, the last one that could, which is logged once for each change.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	files := readStates(c.certFile, c.keyFile)
	if files == c.files {
		return c.now
	}
	c.files = files
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		c.log.Warn("the new certificate of the API cannot be used: the old one stays", "file", c.certFile, "error", err)
		return c.now
	}
	c.log.Info("the certificate of the API was read anew", "file", c.certFile)
	c.now = &pair
	return c.now
}

func readStates(files ...string) (all fileStates) {
	for i, name := range files {
		if info, err := os.Stat(name); err == nil {
			all[i].changed, all[i].size = info.ModTime(), info.Size()
		}
	}
	return all
}

// mode lets every user of the host open it: who they are, the kernel tells.
const mode = 0o666

// Listen opens a unix socket. One that a daemon left that did not end well is removed, one on
// which something answers and anything else of that name are errors. It is removed when it is
// closed.
func Listen(path string) (net.Listener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // all users pass through it
		return nil, err
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// removeStale removes a socket on which nothing answers.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is no socket: it stays; remove it, or name another", path)
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		return errors.Join(fmt.Errorf("something answers on %s: does another daemon run on this host?", path), c.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("looking whether something answers on %s: %w", path, err)
	}
	return os.Remove(path)
}
