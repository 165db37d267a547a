// Package secure guards the way between probe and bridge: TLS with
// certificates on both sides, and a token that each side proves to know. Files are read again when
// they change, so that certificates and tokens can be renewed without a
// restart.
package secure

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"net/http"
	"strings"
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
