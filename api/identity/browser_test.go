package identity

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
)

var alice = api.Viewer{User: "alice", Role: api.RoleUser, Origin: "munge"}

// follow follows a link, and returns the answer.
func (p *place) follow(link string) *http.Response {
	w := httptest.NewRecorder()
	p.Redeem(w, newRequest("GET", link, ""))
	return w.Result()
}

// signIn makes a session of alice, and returns its cookies.
func (p *place) signIn(t *testing.T) (session, csrf *http.Cookie) {
	t.Helper()
	link, until, err := p.NewLink(alice)
	if err != nil || !until.Equal(p.now.Add(5*time.Minute)) || !strings.HasPrefix(link, "https://ctl:9812/link/") {
		t.Fatal(link, until, err)
	}
	resp := p.follow(link)
	for _, c := range resp.Cookies() {
		if !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || !c.Expires.Equal(p.now.Add(8*time.Hour)) || len(c.Value) != 43 {
			t.Errorf("%+v", c)
		}
		switch c.Name {
		case SessionCookie:
			session = c
		case CSRFCookie:
			csrf = c
		}
	}
	if resp.StatusCode != 200 || session == nil || csrf == nil || !session.HttpOnly || csrf.HttpOnly || resp.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("%+v", resp)
	}
	return session, csrf
}

func TestLinkIsGoodOnceAndNotLong(t *testing.T) {
	p := newPlace(t, nil)
	link, _, err := p.NewLink(alice)
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"no link": "https://ctl/link/", "a guess": link[:len(link)-1] + "!", "not over TLS": strings.TrimPrefix(link, "https://ctl:9812")} {
		if resp := p.follow(target); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) != 0 {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if resp := p.follow(link); resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	if resp := p.follow(link); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) != 0 {
		t.Errorf("the second time: %d", resp.StatusCode)
	}
	if link, _, err = p.NewLink(alice); err != nil {
		t.Fatal(err)
	}
	p.now = p.now.Add(5 * time.Minute)
	if resp := p.follow(link); resp.StatusCode != http.StatusForbidden {
		t.Errorf("too late: %d", resp.StatusCode)
	}
	for key := range p.links.byHash {
		if strings.Contains(link, string(key[:])) {
			t.Error("links are kept as they are")
		}
	}
}

// TestSession: the cookie is its user, for eight hours.
func TestSession(t *testing.T) {
	p := newPlace(t, nil)
	session, _ := p.signIn(t)
	ask := func(target string, cookies ...*http.Cookie) (api.Viewer, error) {
		r := newRequest("GET", target, "")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		return p.Identify(r)
	}
	v, err := ask("https://ctl/v1/me", session)
	wantCode(t, "good", err, "")
	if v.User != "alice" || v.Origin != "browser" || v.Role != api.RoleUser {
		t.Errorf("%+v", v)
	}
	if _, _, err := p.NewLink(v); api.CodeOf(err) != api.CodeForbidden {
		t.Errorf("a session makes the next: %v", err)
	}
	_, err = ask("https://ctl/v1/me", session, session)
	wantCode(t, "two", err, api.CodeUnauthenticated)
	_, err = ask("https://ctl/v1/me", &http.Cookie{Name: SessionCookie, Value: "guess"})
	wantCode(t, "a guess", err, api.CodeUnauthenticated)
	_, err = ask("/v1/me", session)
	wantCode(t, "not over TLS", err, api.CodeUnauthenticated)
	p.now = p.now.Add(8 * time.Hour)
	_, err = ask("https://ctl/v1/me", session)
	wantCode(t, "over", err, api.CodeUnauthenticated)
}

func TestSessionsAreBounded(t *testing.T) {
	p := newPlace(t, nil)
	first, _ := p.signIn(t)
	for range maxSessionsOfUser {
		p.now = p.now.Add(time.Second)
		p.signIn(t)
	}
	if _, ok := p.sessions.find(first.Value); ok || len(p.sessions.byHash) != maxSessionsOfUser {
		t.Errorf("%d sessions, and the first is there: %t", len(p.sessions.byHash), ok)
	}
	for n := range maxTokens {
		p.sessions.byHash[[32]byte{byte(n), byte(n >> 8)}] = tokenEntry{user: "many", until: p.now.Add(time.Hour)}
	}
	if _, _, err := p.sessions.add("bob"); api.CodeOf(err) != api.CodeTooMany {
		t.Errorf("no bound: %v", err)
	}
}

// TestMayAct: an action that a page of another site could have had a browser send is refused.
func TestMayAct(t *testing.T) {
	p := newPlace(t, nil)
	session, csrf := p.signIn(t)
	_, othersCSRF := p.signIn(t)
	browser, proxied := api.Viewer{User: "alice", Origin: "browser"}, api.Viewer{User: "alice", Origin: "proxy"}
	for name, c := range map[string]struct {
		viewer api.Viewer
		cookie bool
		header map[string]string
		may    bool
	}{
		"munge":                         {alice, false, nil, true},
		"munge and a cookie":            {alice, true, nil, false},
		"browser":                       {browser, true, map[string]string{CSRFHeader: csrf.Value}, true},
		"browser of the same site":      {browser, true, map[string]string{CSRFHeader: csrf.Value, "Sec-Fetch-Site": "same-origin", "Origin": "https://ctl"}, true},
		"by its URL":                    {browser, true, map[string]string{CSRFHeader: csrf.Value, "Origin": "https://ctl:9812"}, true},
		"browser without token":         {browser, true, nil, false},
		"browser with another's token":  {browser, true, map[string]string{CSRFHeader: othersCSRF.Value}, false},
		"browser with the session":      {browser, true, map[string]string{CSRFHeader: session.Value}, false},
		"browser without cookie":        {browser, false, nil, false},
		"another site":                  {browser, true, map[string]string{CSRFHeader: csrf.Value, "Sec-Fetch-Site": "cross-site"}, false},
		"a sibling":                     {browser, true, map[string]string{CSRFHeader: csrf.Value, "Sec-Fetch-Site": "same-site"}, false},
		"another origin":                {browser, true, map[string]string{CSRFHeader: csrf.Value, "Origin": "https://evil"}, false},
		"no origin":                     {browser, true, map[string]string{CSRFHeader: csrf.Value, "Origin": "null"}, false},
		"the origin without TLS":        {browser, true, map[string]string{CSRFHeader: csrf.Value, "Origin": "http://ctl"}, false},
		"a proxy's browser":             {proxied, false, map[string]string{CSRFHeader: "1"}, true},
		"a proxy's browser, no header":  {proxied, false, nil, false},
		"a proxy's browser, other site": {proxied, false, map[string]string{CSRFHeader: "1", "Origin": "https://evil"}, false},
	} {
		r := newRequest("POST", "https://ctl/v1/actions", "{}")
		if c.cookie {
			r.AddCookie(session)
		}
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		err := p.MayAct(r, c.viewer)
		var told *api.Error
		if (err == nil) != c.may || err != nil && (!errors.As(err, &told) || told.Code != api.CodeForbidden) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoLinkWithoutAddress(t *testing.T) {
	p := newPlace(t, func(c *Config) { c.URL = "" })
	if _, _, err := p.NewLink(alice); api.CodeOf(err) != api.CodeUnavailable {
		t.Error(err)
	}
}
