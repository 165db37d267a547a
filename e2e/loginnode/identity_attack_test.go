package loginnode

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/api"
	"fairbridge/api/credential"
	"fairbridge/api/credential/mungetest"
	"fairbridge/api/wire"
)

// testWhoAsks: everybody is who they are, and no more.
func (s *stage) testWhoAsks(t *testing.T) {
	for user, want := range map[string]api.Role{"alice": api.RoleUser, "carol": api.RoleCoordinator, "oper": api.RoleOperator, "root": api.RoleUser} {
		var v api.Viewer
		a := s.ask(question{uri: wire.MePath, user: user, method: "GET"})
		if err := json.Unmarshal([]byte(a.text), &v); err != nil || v.User != user || v.Role != want || v.Origin != "munge" {
			t.Errorf("%s is %+v (%v), want %s", user, v, err, want)
		}
	}
	out, err := s.ctl.command(t.Context(), "alice", []string{"FAIRBRIDGE_URL=unix://" + filepath.Join(s.dir, "conf", "api.sock")}, s.program, "whoami", "--json").CombinedOutput()
	var v api.Viewer
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil || v.User != "alice" || v.Origin != "socket" || v.Role != api.RoleUser {
		t.Errorf("on the daemon's host: %v %s", err, out)
	}
}

// testCredentials: wrong, foreign, used and borrowed credentials.
func (s *stage) testCredentials(t *testing.T) {
	get := func(header string) question {
		return question{method: "GET", uri: wire.QueuePath, header: map[string]string{"Authorization": header}}
	}
	const no = api.CodeUnauthenticated
	s.refused("none", question{method: "GET", uri: wire.QueuePath}, no, "not proven who asks")
	s.refused("no credential", get("Munge x"), no, "not valid here")
	s.refused("a token of Slurm", get("Bearer eyJhbGciOi"), no, "is not one Munge credential")
	s.refused("large", get("Munge MUNGE:"+strings.Repeat("A", credential.MaxLength)+":"), api.CodeTooLarge, "bytes")
	s.refused("a user of another host", question{method: "GET", uri: wire.MePath, user: "mallory"}, no, "70005 has no name on fairbridge")

	foreign := mungetest.Start(t, "")
	s.refused("foreign", question{method: "GET", uri: wire.MePath, user: "alice", munge: foreign.EncodeCommand()}, no, "not valid here")
	s.refused("only for another", question{method: "GET", uri: wire.MePath, user: "alice", munge: []string{"munge", "--restrict-uid=root"}}, no, "decoded by another user only")

	used := s.sign(question{method: "GET", uri: wire.MePath, user: "alice"})
	first := question{method: "GET", uri: wire.MePath, header: map[string]string{"Authorization": used}}
	if a := s.ask(first); a.status != 200 {
		t.Fatalf("a good one: %d %s", a.status, a.text)
	}
	s.refused("replayed", first, no, "used before")

	for _, host := range []string{"other:9812", "ctl:9999", "ctl"} { // handed on by who was asked there
		s.refused("made for "+host, question{method: "POST", uri: wire.LinkPath, body: "{}", user: "alice", host: host}, no, "ask by https://ctl:9812")
	}

	borrowed := func(method, uri, body string) question {
		signed := s.sign(question{method: "GET", uri: wire.MePath, user: "oper"})
		return question{method: method, uri: uri, body: body, header: map[string]string{"Authorization": signed}}
	}
	s.refused("for another path", borrowed("GET", wire.QueuePath, ""), no, "for another request")
	s.refused("for another query", borrowed("GET", wire.MePath+"?x=1", ""), no, "for another request")
	s.refused("for another method", borrowed("POST", wire.ActionsPath, `{"kind":"stop","why":"x"}`), no, "for another request")
}

// testSkew: a host whose clock is wrong is told so, with both times.
func (s *stage) testSkew(t *testing.T) {
	shim := filepath.Join(s.dir, "skew.so")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", shim, "testdata/skew.c", "-ldl").CombinedOutput(); err != nil {
		t.Skipf("a C compiler is needed: %v %s", err, out)
	}
	for seconds, want := range map[string]string{"-600": "is too old: made at 20", "600": "is from the future: made at 20"} {
		m := mungetest.Start(t, s.munged.Key, append(s.login.words("root"), "env", "LD_PRELOAD="+shim, "SKEW="+seconds)...)
		s.refused("a clock wrong by "+seconds, question{method: "GET", uri: wire.MePath, user: "alice", munge: m.EncodeCommand()}, api.CodeUnauthenticated, want)
	}
}

// testProxy: the header of a proxy says nothing without its secret.
func (s *stage) testProxy(t *testing.T) {
	ask := func(header map[string]string) question {
		return question{method: "GET", uri: wire.MePath, header: header}
	}
	const user, secret, no = "X-Remote-User", "X-Fairbridge-Secret", api.CodeUnauthenticated
	s.refused("without secret", ask(map[string]string{user: "oper"}), no, "not proven who asks")
	s.refused("wrong secret", ask(map[string]string{user: "oper", secret: "guess"}), no, "secret of the proxy is wrong")
	s.refused("empty secret", ask(map[string]string{user: "oper", secret: ""}), no, "secret of the proxy is wrong")
	s.refused("nobody named", ask(map[string]string{secret: proxySecret}), no, "does not name one user")
	s.refused("a stranger", ask(map[string]string{user: "mallory", secret: proxySecret}), no, "no such user")
	a := s.ask(ask(map[string]string{user: "alice", secret: proxySecret}))
	if a.status != 200 || !strings.Contains(a.text, `"alice"`) || !strings.Contains(a.text, `"proxy"`) {
		t.Errorf("the proxy itself: %d %s", a.status, a.text)
	}
	both := question{method: "GET", uri: wire.MePath, user: "alice", header: map[string]string{user: "oper", secret: proxySecret}}
	s.refused("two users", both, no, "different users")
	// A plain user who adds the header to their own request stays who they are.
	a = s.ask(question{method: "GET", uri: wire.MePath, user: "alice", header: map[string]string{user: "oper"}})
	if a.status != 200 || !strings.Contains(a.text, `"alice"`) || strings.Contains(a.text, `"user":"oper"`) {
		t.Errorf("a header of one's own: %d %s", a.status, a.text)
	}
}
