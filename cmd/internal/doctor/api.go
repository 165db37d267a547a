package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"
	"time"

	"fairbridge/api/credential"
	"fairbridge/api/identity"
	"fairbridge/bridge/slurm/safefile"
	"fairbridge/cmd/settings"
)

// certificateWarning is how long before its end a certificate is worth a word.
const certificateWarning = 14 * 24 * time.Hour

// checkAPI looks whether users can ask the daemon, and whether it can be told who they are.
func checkAPI(ctx context.Context, a *settings.API, now time.Time) (r Report) {
	for _, err := range identity.CheckOperators(ctx, a.Operators) {
		r.addFinding("api", LevelFail, "correct api.operators", "%v", err)
	}
	if a.ProxyHeader != "" {
		if _, err := identity.New(identity.Config{ProxyHeader: a.ProxyHeader, ProxySecretFile: a.ProxySecretFile, Now: time.Now}); err != nil {
			r.addFinding("api", LevelFail, "see api.proxy_secret_file", "%v", err)
		}
	}
	if a.Listen == "" {
		r.addOK("api", "only this host can ask; login nodes and browsers need api.listen")
		return r
	}
	return append(append(r, checkCertificate(a, now)...), checkMunge(ctx, a.Unmunge)...)
}

// checkMunge makes a credential and decodes it.
func checkMunge(ctx context.Context, unmunge []string) (r Report) {
	if len(unmunge) == 0 {
		r.addFinding("munge", LevelWarn, "api.unmunge: [unmunge]", "no credential of munge is accepted: users of login nodes cannot ask")
		return r
	}
	encoder, ok := credential.EncoderBeside(unmunge)
	if !ok {
		r.addFinding("munge", LevelSkip, "", "api.unmunge names no unmunge: there is no munge beside it to try it with")
		return r
	}
	payload := credential.NewPayload("GET", "/doctor", "localhost", nil)
	text, err := credential.Encode(ctx, encoder, payload)
	if err == nil {
		var d *credential.Decoded
		if d, err = credential.Decode(ctx, unmunge, text); err == nil && d.Payload != payload {
			err = errors.New("what was decoded is not what was encoded")
		}
	}
	if kind := (*credential.Error)(nil); errors.As(err, &kind) && kind.Kind == credential.KindNoUser {
		err = nil // that of who runs the doctor, which is no matter here
	}
	if err != nil {
		r.addFinding("munge", LevelFail, "start munged here with the cluster's key, or set api.unmunge", "%v", err)
		return r
	}
	r.addOK("munge", "a credential can be made and decoded here")
	return r
}

// checkCertificate looks at the certificate and its key.
func checkCertificate(a *settings.API, now time.Time) (r Report) {
	if err := errors.Join(safefile.CheckPrivate(a.KeyFile), safefile.CheckIgnoringOwner(a.KeyFile), safefile.CheckIgnoringOwner(a.CertFile)); err != nil {
		r.addFinding("api", LevelFail, "see api.cert_file and api.key_file", "%v", err)
		return r
	}
	pair, err := tls.LoadX509KeyPair(a.CertFile, a.KeyFile)
	if err != nil {
		r.addFinding("api", LevelFail, "see api.cert_file and api.key_file", "reading the certificate: %v", err)
		return r
	}
	return checkCertificateOf(pair.Leaf, a, now)
}

// checkCertificateOf looks at when a certificate is good, and for which host.
func checkCertificateOf(c *x509.Certificate, a *settings.API, now time.Time) (r Report) {
	switch {
	case now.After(c.NotAfter):
		r.addFinding("api", LevelFail, "get a new one", "the certificate %s ended at %s", a.CertFile, c.NotAfter.Format(time.RFC3339))
		return r
	case now.Before(c.NotBefore):
		r.addFinding("api", LevelFail, "set the clock, or wait", "the certificate %s is good from %s on", a.CertFile, c.NotBefore.Format(time.RFC3339))
		return r
	case c.NotAfter.Sub(now) < certificateWarning:
		r.addFinding("api", LevelWarn, "get a new one", "the certificate %s ends at %s", a.CertFile, c.NotAfter.Format(time.RFC3339))
	}
	if u, err := url.Parse(a.URL); a.URL != "" && err == nil {
		if err := c.VerifyHostname(u.Hostname()); err != nil {
			r.addFinding("api", LevelWarn, "get one for the host in api.url", "browsers and commands will not believe the certificate: %v", err)
			return r
		}
	}
	r.addOK("api", "login nodes can ask at %s; the certificate is good until %s", cmp.Or(a.URL, "https://"+a.Listen), c.NotAfter.Format(time.RFC3339))
	return r
}
