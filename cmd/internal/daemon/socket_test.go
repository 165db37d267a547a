package daemon

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSocketIsOpenToAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run", "api.sock")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "does another daemon run") {
		t.Errorf("one that is answered on: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("it stays when it is closed: %v", err)
	}
}

// TestStaleSockets has what others left where the socket belongs.
func TestStaleSockets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	l, err := Listen(path)
	if err != nil {
		t.Fatalf("one on which nothing answers: %v", err)
	}
	l.Close()
	if err := os.WriteFile(path, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Errorf("a file: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "somebody's" {
		t.Errorf("the file became %q %v", text, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nonexistent", path); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "is no socket") {
		t.Errorf("a link: %v", err)
	}
}

// writePair writes a certificate of a name with its key.
func writePair(t *testing.T, dir, name string) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// TestCertificatesAreReadAnew changes the files below a server.
func TestCertificatesAreReadAnew(t *testing.T) {
	var log bytes.Buffer
	dir := t.TempDir()
	certFile, keyFile := writePair(t, dir, "first")
	c, err := NewCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		pair, err := c.Config().GetCertificate(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(pair.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.Subject.CommonName
	}
	touch := func(at time.Time) {
		if err := os.Chtimes(certFile, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if got := name(); got != "first" {
		t.Errorf("it is %s", got)
	}
	writePair(t, dir, "second")
	touch(time.Unix(1e9, 0))
	if got := name(); got != "second" {
		t.Errorf("after a change it is %s", got)
	}
	if err := os.WriteFile(certFile, []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	touch(time.Unix(1e9+1, 0))
	for range 3 {
		if got := name(); got != "second" {
			t.Errorf("of a broken file it is %s", got)
		}
	}
	if n := strings.Count(log.String(), "cannot be used"); n != 1 {
		t.Errorf("said %d times:\n%s", n, log.String())
	}
	writePair(t, dir, "third")
	touch(time.Unix(1e9+2, 0))
	if got := name(); got != "third" {
		t.Errorf("after it is whole again it is %s", got)
	}
	if _, err := NewCertificate(filepath.Join(dir, "none"), keyFile, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a file that is not there is one")
	}
	if c := c.Config(); c.MinVersion != tls.VersionTLS12 {
		t.Error("older TLS is spoken")
	}
}
