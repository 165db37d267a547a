package doctor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/api/credential/mungetest"
	"fairbridge/cmd/settings"
)

// newCertificate writes a certificate of ctl that is good between two times, and its key.
func newCertificate(t *testing.T, from, until time.Time) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: until, DNSNames: []string{"ctl"}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert", "CERTIFICATE", der), write("key", "PRIVATE KEY", raw)
}

// wantFindings wants findings of the subject api or munge with a level, one with each text.
func wantFindings(t *testing.T, what string, r Report, level Level, texts ...string) {
	t.Helper()
	for _, text := range texts {
		found := false
		for _, f := range r {
			found = found || f.Level == level && strings.Contains(f.Text, text)
		}
		if !found {
			t.Errorf("%s: no finding %s with %q: %+v", what, level, text, r)
		}
	}
}

func TestCheckAPICertificate(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	certFile, keyFile := newCertificate(t, now.Add(-time.Hour), now.Add(100*24*time.Hour))
	other, _ := newCertificate(t, now, now.Add(time.Hour))
	for name, c := range map[string]struct {
		api   settings.API
		now   time.Time
		level Level
		text  string
	}{
		"good":      {settings.API{URL: "https://ctl:9812"}, now, LevelOK, "https://ctl:9812; the certificate is good until 2027-"},
		"host":      {settings.API{URL: "https://other"}, now, LevelWarn, "valid for ctl, not other"},
		"ends soon": {settings.API{}, now.Add(99 * 24 * time.Hour), LevelWarn, "ends at"},
		"ended":     {settings.API{}, now.Add(101 * 24 * time.Hour), LevelFail, "ended at"},
		"to come":   {settings.API{}, now.Add(-2 * time.Hour), LevelFail, "is good from"},
		"other key": {settings.API{CertFile: other}, now, LevelFail, "reading the certificate"},
		"no file":   {settings.API{CertFile: "/no/such"}, now, LevelFail, "no such file"},
	} {
		c.api.Listen, c.api.KeyFile = ":9812", keyFile
		if c.api.CertFile == "" {
			c.api.CertFile = certFile
		}
		r := checkAPI(t.Context(), &c.api, c.now)
		wantFindings(t, name, r, c.level, c.text)
		wantFindings(t, name, r, LevelWarn, "no credential of munge")
	}
	if err := os.Chmod(keyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	r := checkAPI(t.Context(), &settings.API{Listen: ":1", CertFile: certFile, KeyFile: keyFile}, now)
	wantFindings(t, "open key", r, LevelFail, "open to everybody")
}

func TestCheckMunge(t *testing.T) {
	m := mungetest.Start(t, "")
	for name, c := range map[string]struct {
		command []string
		level   Level
		text    string
	}{
		"good":     {m.DecodeCommand(), LevelOK, "can be made and decoded"},
		"no munge": {[]string{"unmunge", "--socket=/no/such"}, LevelFail, "could not be asked"},
		"other":    {[]string{"cat"}, LevelSkip, "names no unmunge"},
	} {
		r := checkMunge(t.Context(), c.command)
		wantFindings(t, name, r, c.level, c.text)
	}
}

func TestCheckOperatorsAndSecret(t *testing.T) {
	r := checkAPI(t.Context(), &settings.API{Operators: []string{"root", "@root", "no-such-user", "@no-such-group"}, ProxyHeader: "X-User", ProxySecretFile: "/no/such"}, time.Now())
	wantFindings(t, "operators", r, LevelFail, "no-such-user", "no-such-group", "secret of the proxy")
	wantFindings(t, "no listener", r, LevelOK, "only this host")
	for _, f := range r {
		if strings.Contains(f.Text, "root") {
			t.Errorf("%+v", f)
		}
	}
}
