package socket

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

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
