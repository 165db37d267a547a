package secure_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/secure"
)

// issuer issues certificates.
type issuer struct {
	t    *testing.T
	dir  string
	name string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIssuer(t *testing.T, name string) *issuer {
	i := &issuer{t: t, dir: t.TempDir(), name: name}
	i.cert, i.key = i.make(&x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil, nil)
	i.write("ca.pem", "CERTIFICATE", i.cert.Raw)
	return i
}

func (i *issuer) make(c, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	c.SerialNumber, c.Subject = big.NewInt(time.Now().UnixNano()), pkix.Name{CommonName: i.name}
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		i.t.Fatal(err)
	}
	out, err := x509.ParseCertificate(der)
	if err != nil {
		i.t.Fatal(err)
	}
	return out, key
}

func (i *issuer) write(name, kind string, der []byte) string {
	path := filepath.Join(i.dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		i.t.Fatal(err)
	}
	return path
}

func (i *issuer) ca() string { return filepath.Join(i.dir, "ca.pem") }

// issue returns the files of a certificate for the name.
func (i *issuer) issue(name string) (cert, key string) {
	c, k := i.make(&x509.Certificate{DNSNames: []string{name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}, i.cert, i.key)
	der, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		i.t.Fatal(err)
	}
	return i.write(name+".pem", "CERTIFICATE", c.Raw), i.write(name+".key", "PRIVATE KEY", der)
}

// probe serves a sample over TLS.
func probe(t *testing.T, c *tls.Config, token string) string {
	h := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"node":"n1","gpus":[]}`)
	}))
	if token != "" {
		h = secure.RequireToken(h, secure.NewTokenReader(token))
	}
	s := httptest.NewUnstartedServer(h)
	s.TLS = c
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return "https://localhost:" + s.URL[strings.LastIndex(s.URL, ":")+1:]
}

func pull(c client.Config, address string) error {
	_, err := client.New(c).PullSamples(context.Background(), map[string]string{"n1": address})
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBothSidesShowCertificates(t *testing.T) {
	site, rogue := newIssuer(t, "site"), newIssuer(t, "rogue")
	cert, key := site.issue("localhost")
	server, err := secure.NewServerTLS(cert, key, site.ca())
	must(t, err)
	address := probe(t, server, "")
	mine, myKey := site.issue("fairbridge")
	theirs, theirKey := rogue.issue("fairbridge")
	for name, c := range map[string]struct {
		ca, cert, key string
		says          string
	}{
		"ours":              {site.ca(), mine, myKey, ""},
		"no certificate":    {site.ca(), "", "", "certificate required"},
		"another's":         {site.ca(), theirs, theirKey, "certificate"},
		"we ask a stranger": {rogue.ca(), mine, myKey, "unknown authority"},
	} {
		config, err := secure.NewClientTLS(c.ca, c.cert, c.key)
		must(t, err)
		if err := pull(client.Config{TLS: config}, address); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestCertificateOfAnotherNode(t *testing.T) {
	site := newIssuer(t, "site")
	cert, key := site.issue("n2")
	server, err := secure.NewServerTLS(cert, key, "")
	must(t, err)
	config, err := secure.NewClientTLS(site.ca(), "", "")
	must(t, err)
	if err := pull(client.Config{TLS: config}, probe(t, server, "")); err == nil || !strings.Contains(err.Error(), "valid for n2, not localhost") {
		t.Errorf("a node speaks for another: %v", err)
	}
}

func TestRenewalWithoutRestart(t *testing.T) {
	site := newIssuer(t, "site")
	cert, key := site.issue("n2")
	server, err := secure.NewServerTLS(cert, key, "")
	must(t, err)
	address := probe(t, server, "")
	config, err := secure.NewClientTLS(site.ca(), "", "")
	must(t, err)
	must(t, os.WriteFile(cert, []byte("half written"), 0o600))
	if err := pull(client.Config{TLS: config}, address); err == nil || !strings.Contains(err.Error(), "not localhost") {
		t.Errorf("while it is written the old one holds: %v", err)
	}
	right, rightKey := site.issue("localhost")
	must(t, os.Rename(rightKey, key))
	must(t, os.Rename(right, cert))
	later := time.Now().Add(time.Minute)
	must(t, os.Chtimes(cert, later, later))
	if err := pull(client.Config{TLS: config}, address); err != nil {
		t.Errorf("renewed: %v", err)
	}
}

func TestToken(t *testing.T) {
	site := newIssuer(t, "site")
	cert, key := site.issue("localhost")
	server, err := secure.NewServerTLS(cert, key, "")
	must(t, err)
	file := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(file, []byte("correct-horse-battery\n"), 0o600))
	address := probe(t, server, file)
	config, err := secure.NewClientTLS(site.ca(), "", "")
	must(t, err)
	with := func(token string) func() (string, error) { return func() (string, error) { return token, nil } }
	for name, c := range map[string]struct {
		token func() (string, error)
		says  string
	}{
		"the token": {secure.NewTokenReader(file), ""}, "none": {nil, "wants a token"}, "another": {with("correct-horse-batterz"), "wants a token"},
		"a part": {with("correct"), "wants a token"}, "no file": {secure.NewTokenReader(file + "x"), "reading the token"},
	} {
		err := pull(client.Config{TLS: config, Token: c.token}, address)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if err != nil && strings.Contains(err.Error(), "horse") {
			t.Errorf("%s: the token is in the error: %v", name, err)
		}
	}
	must(t, os.WriteFile(file, []byte("short"), 0o600))
	if _, err := secure.NewTokenReader(file)(); err == nil || strings.Contains(err.Error(), "short\"") {
		t.Errorf("a short token: %v", err)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	text := filepath.Join(t.TempDir(), "x")
	must(t, os.WriteFile(text, []byte("text"), 0o600))
	_, err1 := secure.NewServerTLS(text, text, "")
	_, err2 := secure.NewClientTLS(text, "", "")
	_, err3 := secure.NewClientTLS("", text, text)
	for _, err := range []error{err1, err2, err3} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v", err)
		}
	}
}
