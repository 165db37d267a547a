package loginnode

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"fairbridge/api"
	"fairbridge/api/wire"
)

const stopRequest = `{"kind":"stop","why":"an attack"}`

// testActing: only operators act, and a page of another site does not act through their browser.
func (s *stage) testActing(t *testing.T) {
	for _, user := range []string{"alice", "carol", "root"} {
		s.refused(user+" acts", question{method: "POST", uri: wire.ActionsPath, body: stopRequest, user: user}, api.CodeForbidden, "")
	}
	a := s.ask(question{method: "POST", uri: wire.ActionsPath, body: stopRequest, user: "oper"})
	if a.status != 200 || !strings.Contains(a.text, "confirm") {
		t.Errorf("an operator may ask what it would do: %d %s", a.status, a.text)
	}
	cookie, csrf := s.signIn(t, "oper")
	act := func(header map[string]string) question {
		header["Cookie"] = cookie
		return question{method: "POST", uri: wire.ActionsPath, body: stopRequest, header: header}
	}
	s.refused("no token", act(map[string]string{}), api.CodeForbidden, "")
	s.refused("a wrong token", act(map[string]string{"X-Fairbridge-CSRF": "guess"}), api.CodeForbidden, "")
	s.refused("another site", act(map[string]string{"X-Fairbridge-CSRF": csrf, "Sec-Fetch-Site": "cross-site"}), api.CodeForbidden, "")
	s.refused("another origin", act(map[string]string{"X-Fairbridge-CSRF": csrf, "Origin": "https://evil.example"}), api.CodeForbidden, "")
	if a := s.ask(act(map[string]string{"X-Fairbridge-CSRF": csrf, "Origin": "https://" + name, "Sec-Fetch-Site": "same-origin"})); a.status != 200 {
		t.Errorf("the browser itself: %d %s", a.status, a.text)
	}
	s.refused("a proxy's browser without the header", question{method: "POST", uri: wire.ActionsPath, body: stopRequest,
		header: map[string]string{"X-Remote-User": "oper", "X-Fairbridge-Secret": proxySecret}}, api.CodeForbidden, "")
	s.refused("a link from a browser", question{method: "POST", uri: wire.LinkPath, body: "{}", header: map[string]string{"Cookie": cookie, "X-Fairbridge-CSRF": csrf}}, api.CodeForbidden, "")
	var list api.Actions
	if err := json.Unmarshal([]byte(s.ask(question{method: "GET", uri: wire.ActionsPath, user: "oper"}).text), &list); err != nil || len(list.Actions) != 0 {
		t.Errorf("something was done: %+v %v", list, err)
	}
}

// signIn follows a one-time link of a user, once.
func (s *stage) signIn(t *testing.T, user string) (cookie, csrf string) {
	t.Helper()
	var link api.Link
	a := s.ask(question{method: "POST", uri: wire.LinkPath, body: "{}", user: user})
	if err := json.Unmarshal([]byte(a.text), &link); err != nil || !strings.HasPrefix(link.URL, "https://"+name+"/link/") {
		t.Fatalf("%d %s %v", a.status, a.text, err)
	}
	path := strings.TrimPrefix(link.URL, "https://"+name)
	resp := s.ask(question{method: "GET", uri: path})
	var pairs []string
	for _, c := range (&http.Response{Header: resp.header}).Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
		if strings.HasSuffix(c.Name, "-csrf") {
			csrf = c.Value
		}
	}
	if resp.status != 200 || len(pairs) != 2 || csrf == "" {
		t.Fatalf("following a link: %d %v %s", resp.status, resp.header, resp.text)
	}
	if again := s.ask(question{method: "GET", uri: path}); again.status != http.StatusForbidden || again.header.Get("Set-Cookie") != "" {
		t.Errorf("a link works twice: %d", again.status)
	}
	cookie = strings.Join(pairs, "; ")
	if a := s.ask(question{method: "GET", uri: wire.MePath, header: map[string]string{"Cookie": cookie}}); a.status != 200 || !strings.Contains(a.text, `"browser"`) {
		t.Errorf("the session: %d %s", a.status, a.text)
	}
	return cookie, csrf
}
