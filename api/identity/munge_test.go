package identity

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/api/credential"
	"fairbridge/api/credential/mungetest"
)

// mungedPlace is a place with a real munged.
func mungedPlace(t *testing.T) (*place, *mungetest.Munged) {
	t.Helper()
	m := mungetest.Start(t, "")
	p := newPlace(t, func(c *Config) { c.Unmunge = m.DecodeCommand() })
	p.asRealHost()
	return p, m
}

// sign puts a credential for a request to it.
func sign(t *testing.T, m *mungetest.Munged, r *http.Request, body string) *http.Request {
	t.Helper()
	cred, err := credential.Encode(t.Context(), m.EncodeCommand(), credential.NewPayload(r.Method, r.RequestURI, r.Host, []byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Munge "+cred)
	return r
}

func TestMunge(t *testing.T) {
	p, m := mungedPlace(t)
	r := sign(t, m, newRequest("POST", "https://ctl:9812/v1/actions?x=1", "the body"), "the body")
	v, err := p.Identify(r)
	wantCode(t, "good", err, "")
	if body, err := io.ReadAll(r.Body); v.Origin != "munge" || v.User == "" || string(body) != "the body" || err != nil {
		t.Errorf("%+v, and the body is %q (%v)", v, body, err)
	}
	_, err = p.Identify(r)
	wantCode(t, "replayed", err, api.CodeUnauthenticated)
	if !strings.Contains(err.Error(), "used before") {
		t.Error(err)
	}
}

// TestMungeOfAnotherRequest: a credential is good for nothing but the request it was made for.
func TestMungeOfAnotherRequest(t *testing.T) {
	p, m := mungedPlace(t)
	for name, change := range map[string]func(*http.Request){
		"method": func(r *http.Request) { r.Method = "DELETE" },
		"path":   func(r *http.Request) { r.RequestURI = "/v1/queue" },
		"query":  func(r *http.Request) { r.RequestURI += "?user=bob" },
		"host":   func(r *http.Request) { r.Host = "other" },
		"body":   func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("another")) },
		"large":  func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", MaxBody+1))) },
		"twice":  func(r *http.Request) { r.Header.Add("Authorization", r.Header.Get("Authorization")) },
		"scheme": func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") },
		"none":   func(r *http.Request) { r.Header.Set("Authorization", "Munge ") },
	} {
		r := sign(t, m, newRequest("POST", "https://ctl/v1/actions", "body"), "body")
		change(r)
		_, err := p.Identify(r)
		want := api.CodeUnauthenticated
		if name == "large" {
			want = api.CodeTooLarge
		}
		wantCode(t, name, err, want)
	}
	without := newPlace(t, nil)
	_, err := without.Identify(sign(t, m, newRequest("GET", "https://ctl/v1/me", ""), ""))
	wantCode(t, "munge is off", err, api.CodeUnauthenticated)
}

// TestMungeForAnotherHost: who was asked by a user cannot hand the request on and be taken for them. By the
// socket the kernel tells who asks, whatever host is named.
func TestMungeForAnotherHost(t *testing.T) {
	p, m := mungedPlace(t)
	for _, host := range []string{"evil.example:9999", "evil.example", "ctl:9999", ""} {
		r := newRequest("POST", "https://ctl/v1/link", "{}")
		r.Host = host
		v, err := p.Identify(sign(t, m, r, "{}"))
		wantCode(t, host, err, api.CodeUnauthenticated)
		if v.User != "" || !strings.Contains(err.Error(), "ctl:9812") {
			t.Errorf("%s: %+v %v", host, v, err)
		}
	}
	unnamed := newPlace(t, func(c *Config) { c.Unmunge, c.Hosts = m.DecodeCommand(), nil })
	_, err := unnamed.Identify(sign(t, m, newRequest("GET", "https://ctl/v1/me", ""), ""))
	wantCode(t, "a daemon without names", err, api.CodeUnauthenticated)
	r := fromSocket(newRequest("GET", "/v1/me", ""), uint32(os.Geteuid()))
	v, err := p.Identify(sign(t, m, r, ""))
	wantCode(t, "by the socket", err, "")
	if v.Origin != "munge" {
		t.Errorf("%+v", v)
	}
}

// TestReplayAtASecondMunged: two hosts with the same key each decode a credential once; we
// believe it once.
func TestReplayAtASecondMunged(t *testing.T) {
	p, m := mungedPlace(t)
	second := mungetest.Start(t, m.Key)
	r := sign(t, m, newRequest("GET", "https://ctl/v1/me", ""), "")
	_, err := p.Identify(r)
	wantCode(t, "first", err, "")
	p.munge.command = second.DecodeCommand()
	_, err = p.Identify(r)
	wantCode(t, "second", err, api.CodeUnauthenticated)
	p.munge.seen = newReplayCache(p.cfg.Now) // without ours it would be believed: see that it is ours which refuses
	p.munge.command = mungetest.Start(t, m.Key).DecodeCommand()
	_, err = p.Identify(r)
	wantCode(t, "a third, without memory", err, "")
}

// TestMungeOfUnknownUser: an id that the host does not know has no name, and so no jobs.
func TestMungeOfUnknownUser(t *testing.T) {
	p, m := mungedPlace(t)
	r := newRequest("GET", "https://ctl/v1/me", "")
	cmd := exec.Command("munge", m.EncodeCommand("--string=" + credential.NewPayload("GET", r.RequestURI, r.Host, nil))[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4_000_000, Gid: 4_000_000}}
	cred, err := cmd.Output()
	if err != nil {
		t.Skipf("only root makes credentials of others: %v", err)
	}
	r.Header.Set("Authorization", "Munge "+strings.TrimSpace(string(cred)))
	_, err = p.Identify(r)
	wantCode(t, "unknown", err, api.CodeUnauthenticated)
	if err == nil || !strings.Contains(err.Error(), "4000000") {
		t.Errorf("%v does not say which", err)
	}
}

func TestReplayCache(t *testing.T) {
	now := time.Unix(1000, 0)
	c := newReplayCache(func() time.Time { return now })
	wantCode(t, "first", c.add(1001, "MUNGE:AAAA:"), "")
	wantCode(t, "again", c.add(1001, "MUNGE:AAAA:"), api.CodeUnauthenticated)
	wantCode(t, "written otherwise", c.add(1001, "MUNGE:AAA\nA:"), api.CodeUnauthenticated)
	wantCode(t, "another", c.add(1001, "MUNGE:AAAB:"), "")
	wantCode(t, "none", c.add(1001, "MUNGE:A:"), api.CodeUnauthenticated)
	now = now.Add(2 * credential.Life)
	wantCode(t, "while it could be believed", c.add(1001, "MUNGE:AAAA:"), api.CodeUnauthenticated)
	now = now.Add(replayLife)
	c.add(1001, "MUNGE:AAAC:")
	if len(c.used) != 1 || len(c.order) != 1 || len(c.count) != 1 || c.count[1001] != 1 {
		t.Errorf("%d are remembered, %v", len(c.used), c.count)
	}
}

// TestReplaysOfOneUser: who uses up what is remembered of one user keeps nobody else out, and may ask again later.
func TestReplaysOfOneUser(t *testing.T) {
	now := time.Unix(1000, 0)
	c := newReplayCache(func() time.Time { return now })
	text := func(n int) string { return fmt.Sprintf("MUNGE:%08d:", n) }
	for n := range maxReplaysOfUser {
		wantCode(t, "within bounds", c.add(1001, text(n)), "")
	}
	wantCode(t, "one more", c.add(1001, text(maxReplaysOfUser)), api.CodeTooMany)
	wantCode(t, "a used one", c.add(1001, text(0)), api.CodeUnauthenticated)
	wantCode(t, "of another", c.add(1002, text(maxReplaysOfUser+1)), "")
	now = now.Add(replayLife + time.Second)
	wantCode(t, "later", c.add(1001, text(maxReplaysOfUser)), "")
	for uid := uint32(2000); len(c.used) < maxReplays; uid++ {
		for n := range maxReplaysOfUser {
			c.add(uid, text(int(uid)*maxReplaysOfUser+n))
		}
	}
	wantCode(t, "of somebody else where all is full", c.add(1003, text(1)), api.CodeTooMany)
}
