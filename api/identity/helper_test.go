package identity

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/slurm/slurmdb"
)

const proxySecret = "a-secret-of-the-proxy"

// place is an Identifier with a clock and a host of the test's own.
type place struct {
	*Identifier
	now     time.Time
	users   []slurmdb.User
	conf    map[string]string
	dbdConf map[string]string
	fails   error // of what Slurm is asked
	log     strings.Builder
}

// newPlace makes one; change may change its configuration.
func newPlace(t *testing.T, change func(*Config)) *place {
	t.Helper()
	p := &place{now: time.Unix(1_795_453_401, 0), conf: map[string]string{"PrivateData": "none"}}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(proxySecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.users = []slurmdb.User{{Name: "alice"}, {Name: "carol", CoordinatedAccounts: []string{"deep", "research"}}, {Name: "oper", IsOperator: true}}
	cfg := Config{
		ProxyHeader: "X-Remote-User", ProxySecretFile: secret, URL: "https://ctl:9812", Hosts: ownHosts{"ctl:9812", "ctl"}, Now: func() time.Time { return p.now },
		ReadUsers:        func(context.Context) ([]slurmdb.User, error) { return p.users, p.fails },
		ReadSlurmConf:    func(context.Context) (map[string]string, error) { return p.conf, p.fails },
		ReadSlurmdbdConf: func(context.Context) (map[string]string, error) { return p.dbdConf, p.fails },
		Log:              slog.New(slog.NewTextHandler(&p.log, nil)),
	}
	if change != nil {
		change(&cfg)
	}
	i, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.Identifier = i
	i.users.run = fakeHost
	if cfg.ReadUsers != nil {
		i.rights.refresh(t.Context())
	}
	if cfg.ReadSlurmConf != nil {
		i.slurmConf.refresh(t.Context())
	}
	if i.dbdConf.read != nil {
		i.dbdConf.refresh(t.Context())
	}
	return p
}

// ownHosts are a daemon's names.
type ownHosts []string

func (h ownHosts) IsOwn(host string) bool { return slices.Contains(h, host) }
func (h ownHosts) List() []string         { return h }

// fakeHost answers as the commands of a host with a few users and a group.
func fakeHost(_ context.Context, name string, args ...string) (string, error) {
	ids := map[string]string{"root": "0", "alice": "1001", "bob": "1002", "carol": "1003", "oper": "1004", "dave": "1005"}
	switch {
	case name == "id":
		if args[2] == "dave" {
			return "1005 50", nil
		}
		return ids[args[2]], nil
	case args[0] == "group" && args[1] == "staff":
		return "staff:x:50:", nil
	case args[0] == "group" && args[1] == "broken":
		return "", errors.New("no directory service")
	case args[0] == "passwd":
		for user, id := range ids {
			if args[1] == user || args[1] == id {
				return user + ":x:" + id + ":" + id + "::/home:/bin/sh", nil
			}
		}
	}
	return "", errNotThere
}

// newRequest is a request as a server sees it: over TLS where the target is https, else without.
func newRequest(method, target, body string) *http.Request {
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, in)
	if strings.HasPrefix(target, "https") {
		r.TLS = &tls.ConnectionState{}
	}
	return r
}

// fromSocket puts a peer to a request.
func fromSocket(r *http.Request, uid uint32) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), peerKey{}, &peer{uid: uid}))
}

// wantCode checks the code of an error, "" for none, and that it can be told.
func wantCode(t *testing.T, what string, err error, want api.Code) {
	t.Helper()
	var told *api.Error
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", what, err)
	case want != "" && (!errors.As(err, &told) || told.Code != want):
		t.Errorf("%s: %v, want %s", what, err, want)
	case err != nil && strings.Contains(err.Error(), proxySecret):
		t.Errorf("%s: the error shows the secret: %v", what, err)
	}
}
