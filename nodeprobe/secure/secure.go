// Package secure guards the way between probe and bridge: TLS with
// certificates on both sides, and a token that each side proves to know. Files are read again when
// they change, so that certificates and tokens can be renewed without a
// restart.
package secure

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// NewServerTLS returns a probe's TLS: its certificate and key, and who must have
// issued the client's certificate; "" when clients need none.
func NewServerTLS(cert, key, clientCA string) (*tls.Config, error) {
	mine := newCachedKeyPair(cert, key)
	if _, err := mine.load(); err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return mine.load() }}
	if clientCA == "" {
		return c, nil
	}
	theirs := newCachedAuthorities(clientCA)
	if _, err := theirs.load(); err != nil {
		return nil, err
	}
	c.ClientAuth = tls.RequireAndVerifyClientCert
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pool, err := theirs.load()
		if err != nil {
			return nil, err
		}
		now := c.Clone()
		now.GetConfigForClient, now.ClientCAs = nil, pool
		return now, nil
	}
	return c, nil
}

// NewClientTLS returns the bridge's TLS: who must have issued the probes'
// certificates ("": the system's authorities), and its own certificate and key
// ("": none). A probe's certificate must be for the name it is asked under.
func NewClientTLS(ca, cert, key string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	if ca != "" {
		pool, err := newCachedAuthorities(ca).load()
		if err != nil {
			return nil, err
		}
		c.RootCAs = pool
	}
	if cert != "" || key != "" {
		mine := newCachedKeyPair(cert, key)
		if _, err := mine.load(); err != nil {
			return nil, err
		}
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return mine.load() }
	}
	return c, nil
}

// RequireToken lets requests pass that show the token, as Prometheus does or as AddProof
// does; the latter are answered with a proof. /healthz needs none: it says
// nothing of jobs.
func RequireToken(h http.Handler, token func() (string, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want, err := token()
		if r.URL.Path == "/healthz" {
			h.ServeHTTP(w, r)
			return
		}
		if nonce, ok := checkRequestProof(r, want); ok && err == nil {
			serveWithProof(h, w, r, want, nonce)
			return
		}
		if got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && err == nil && equalSecrets(got, want) {
			h.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a token is needed: --token-file here, probes.token_file at fairbridge", http.StatusUnauthorized)
	})
}

// equalSecrets takes as long whatever differs.
func equalSecrets(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// fileBackedValue is a value made of files, made anew when one of them changed. It is
// safe for concurrent use.
type fileBackedValue[T any] struct {
	paths      []string
	parseFiles func() (T, error)

	mu            sync.Mutex
	modifiedTimes []time.Time
	value         T
	err           error
}

// load returns the value. While new files make no sense, the old value holds; the
// error says that there never was one.
func (f *fileBackedValue[T]) load() (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	times := make([]time.Time, len(f.paths))
	for i, name := range f.paths {
		if info, err := os.Stat(name); err == nil {
			times[i] = info.ModTime()
		}
	}
	if f.modifiedTimes != nil && hasSameTimes(times, f.modifiedTimes) {
		return f.value, f.err
	}
	value, err := f.parseFiles()
	if err == nil || f.modifiedTimes == nil || f.err != nil {
		f.value, f.err = value, err
	}
	f.modifiedTimes = times
	return f.value, f.err
}

func hasSameTimes(a, b []time.Time) bool {
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// newCachedKeyPair reads a certificate and its key.
func newCachedKeyPair(cert, key string) *fileBackedValue[*tls.Certificate] {
	return &fileBackedValue[*tls.Certificate]{paths: []string{cert, key}, parseFiles: func() (*tls.Certificate, error) {
		c, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("reading certificate %s with key %s: %w", cert, key, err)
		}
		return &c, nil
	}}
}

// newCachedAuthorities reads the certificates of who may issue others.
func newCachedAuthorities(file string) *fileBackedValue[*x509.CertPool] {
	return &fileBackedValue[*x509.CertPool]{paths: []string{file}, parseFiles: func() (*x509.CertPool, error) {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading certificates: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("reading certificates: %s has none in PEM form", file)
		}
		return pool, nil
	}}
}

// minTokenLength a token may be: one that can be guessed is none.
const minTokenLength = 16

// NewTokenReader returns what reads the token of a file.
func NewTokenReader(file string) func() (string, error) {
	f := &fileBackedValue[string]{paths: []string{file}, parseFiles: func() (string, error) {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading the token: %w", err)
		}
		if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o027 != 0 {
			return "", fmt.Errorf("the token file %s is open to others (mode %04o): chmod g-w,o-rwx %s", file, info.Mode().Perm(), file)
		}
		t := strings.TrimSpace(string(b))
		if len(t) < minTokenLength || strings.ContainsAny(t, " \t\r\n") {
			return "", errors.New("the token in " + file + " is not one word of at least 16 characters")
		}
		return t, nil
	}}
	return f.load
}

// The headers of a question and of its answer. Neither carries the token: both
// sides show that they know it, by an HMAC over what is said and a number that
// is never used again. So it can be used over plain http, too, and a program
// that took the probe's port cannot answer in its place.
const (
	nonceHeader = "Fairbridge-Nonce"
	proofHeader = "Fairbridge-Proof"
	authScheme  = "Fairbridge "
)

// ErrNoProof says that an answer is not by who knows the token.
var ErrNoProof = errors.New("the answer is not the probe's: it does not prove that it knows the token; does another program listen there?")

// AddProof makes a request show that we know the token, and returns the number that
// the answer must be about.
func AddProof(r *http.Request, token string) (nonce string) {
	nonce = rand.Text()
	r.Header.Set(nonceHeader, nonce)
	r.Header.Set("Authorization", authScheme+computeProof(token, "question", r.URL.Path, nonce, nil))
	return nonce
}

// CheckProof returns ErrNoProof unless the answer to the request of AddProof is by who knows
// the token. Nothing of an answer may be used before.
func CheckProof(path string, answer http.Header, body []byte, token, nonce string) error {
	if !equalSecrets(answer.Get(proofHeader), computeProof(token, "answer", path, nonce, body)) {
		return ErrNoProof
	}
	return nil
}

// checkRequestProof reports whether the request is one that AddProof marked, and with which number.
func checkRequestProof(r *http.Request, token string) (nonce string, ok bool) {
	nonce = r.Header.Get(nonceHeader)
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), authScheme)
	return nonce, ok && nonce != "" && equalSecrets(got, computeProof(token, "question", r.URL.Path, nonce, nil))
}

// computeProof is an HMAC-SHA256, in hexadecimal, of the parts; the text ones contain
// no newline.
func computeProof(token, what, path, nonce string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(token))
	io.WriteString(mac, "fairbridge "+what+"\n"+path+"\n"+nonce+"\n")
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// serveWithProof answers, with the proof that we know the token.
func serveWithProof(h http.Handler, w http.ResponseWriter, r *http.Request, token, nonce string) {
	a := &bufferedAnswer{ResponseWriter: w, status: http.StatusOK}
	h.ServeHTTP(a, r)
	w.Header().Set(proofHeader, computeProof(token, "answer", r.URL.Path, nonce, a.body.Bytes()))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes())
}

// bufferedAnswer keeps what is written until there is a proof for it.
type bufferedAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (a *bufferedAnswer) WriteHeader(status int) { a.status = status }

func (a *bufferedAnswer) Write(b []byte) (int, error) { return a.body.Write(b) }
