package identity

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/api"
)

func TestSocketPeer(t *testing.T) {
	p := newPlace(t, nil)
	for uid, c := range map[uint32]struct {
		want api.Viewer
		code api.Code
	}{
		1001:  {api.Viewer{User: "alice", Role: api.RoleUser, Origin: "socket"}, ""},
		1003:  {api.Viewer{User: "carol", Role: api.RoleCoordinator, Accounts: []string{"deep", "research"}, Origin: "socket"}, ""},
		1004:  {api.Viewer{User: "oper", Role: api.RoleOperator, Origin: "socket"}, ""},
		0:     {api.Viewer{User: "root", Role: api.RoleUser, Origin: "socket", RoleUnknown: "Slurm's accounting does not know the user"}, ""},
		4711:  {api.Viewer{}, api.CodeUnauthenticated},
		65534: {api.Viewer{}, api.CodeUnauthenticated},
	} {
		v, err := p.Identify(fromSocket(newRequest("GET", "/v1/me", ""), uid))
		wantCode(t, fmt.Sprint(uid), err, c.code)
		if !cmp.Equal(v, c.want) {
			t.Errorf("%d: %s", uid, cmp.Diff(c.want, v))
		}
	}
}

// TestSocketOfTheKernel asks over a real socket: it is we who ask.
func TestSocketOfTheKernel(t *testing.T) {
	p := newPlace(t, nil)
	p.asRealHost()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := p.Identify(r)
		fmt.Fprint(w, v.User, " ", v.Origin, " ", err)
	}))
	s.Listener = l
	s.Config.ConnContext = p.ConnContext
	s.Start()
	defer s.Close()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", l.Addr().String())
	}}}
	defer client.CloseIdleConnections()
	resp, err := client.Get("http://socket/v1/me")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var user, origin, failed string
	if _, err := fmt.Fscan(resp.Body, &user, &origin, &failed); err != nil || origin != "socket" || failed != "<nil>" {
		t.Fatalf("%s %s %s %v", user, origin, failed, err)
	}
	if line, err := runHostCommand(t.Context(), "getent", "passwd", fmt.Sprint(os.Geteuid())); err != nil || passwdName(line) != user {
		t.Errorf("we are %s, not %s (%v)", line, user, err)
	}
}

func (p *place) asRealHost() { p.Identifier.users.run = runHostCommand }

func TestProxy(t *testing.T) {
	p := newPlace(t, nil)
	none := newPlace(t, func(c *Config) { c.ProxyHeader = "" })
	type header = http.Header
	good := header{"X-Remote-User": {"alice"}, SecretHeader: {proxySecret}}
	for name, c := range map[string]struct {
		at     *place
		target string
		header header
		want   api.Code
	}{
		"good":              {p, "https://ctl/v1/me", good, ""},
		"without secret":    {p, "https://ctl/v1/me", header{"X-Remote-User": {"oper"}}, api.CodeUnauthenticated},
		"wrong secret":      {p, "https://ctl/v1/me", header{"X-Remote-User": {"alice"}, SecretHeader: {"guess"}}, api.CodeUnauthenticated},
		"empty secret":      {p, "https://ctl/v1/me", header{"X-Remote-User": {"alice"}, SecretHeader: {""}}, api.CodeUnauthenticated},
		"two secrets":       {p, "https://ctl/v1/me", header{"X-Remote-User": {"alice"}, SecretHeader: {proxySecret, "x"}}, api.CodeUnauthenticated},
		"two users":         {p, "https://ctl/v1/me", header{"X-Remote-User": {"alice", "oper"}, SecretHeader: {proxySecret}}, api.CodeUnauthenticated},
		"two in one":        {p, "https://ctl/v1/me", header{"X-Remote-User": {"alice, oper"}, SecretHeader: {proxySecret}}, api.CodeUnauthenticated},
		"no user":           {p, "https://ctl/v1/me", header{SecretHeader: {proxySecret}}, api.CodeUnauthenticated},
		"an id":             {p, "https://ctl/v1/me", header{"X-Remote-User": {"1004"}, SecretHeader: {proxySecret}}, api.CodeUnauthenticated},
		"an option":         {p, "https://ctl/v1/me", header{"X-Remote-User": {"--help"}, SecretHeader: {proxySecret}}, api.CodeUnauthenticated},
		"unknown":           {p, "https://ctl/v1/me", header{"X-Remote-User": {"mallory"}, SecretHeader: {proxySecret}}, api.CodeUnauthenticated},
		"not over TLS":      {p, "/v1/me", good, api.CodeUnauthenticated},
		"no proxy is known": {none, "https://ctl/v1/me", good, api.CodeUnauthenticated},
	} {
		r := newRequest("GET", c.target, "")
		r.Header = c.header
		v, err := c.at.Identify(r)
		wantCode(t, name, err, c.want)
		if c.want == "" && (v.User != "alice" || v.Origin != "proxy") || c.want != "" && v.User != "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestSeveralProofs: those of one user go together, those of two do not.
func TestSeveralProofs(t *testing.T) {
	p := newPlace(t, nil)
	both := func(uid uint32) *http.Request {
		r := fromSocket(newRequest("GET", "https://ctl/v1/me", ""), uid)
		r.Header = http.Header{"X-Remote-User": {"alice"}, SecretHeader: {proxySecret}}
		return r
	}
	v, err := p.Identify(both(1001))
	wantCode(t, "the same", err, "")
	if v.User != "alice" || v.Origin != "socket" {
		t.Errorf("%+v", v)
	}
	_, err = p.Identify(both(1004))
	wantCode(t, "others", err, api.CodeUnauthenticated)
}

// TestSecretFile: a secret that others can read, or that is none, is refused at the start.
func TestSecretFile(t *testing.T) {
	for name, c := range map[string]struct {
		mode os.FileMode
		text string
		want string
	}{
		"open":  {0o644, proxySecret, "open to everybody"},
		"short": {0o600, "short", "has 5 bytes"},
		"empty": {0o600, "", "has 0 bytes"},
		"long":  {0o600, strings.Repeat("x", maxSecret+1), "bytes"},
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := New(Config{ProxyHeader: "X-User", ProxySecretFile: path})
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || err != nil && strings.Contains(err.Error(), proxySecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{"", "/no/such/file"} {
		if _, err := New(Config{ProxyHeader: "X-User", ProxySecretFile: path}); err == nil {
			t.Errorf("%q is taken", path)
		}
	}
}
