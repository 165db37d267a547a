package webcommand

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestGuard lets the one browser through that opened the link first, under the name of this host.
func TestGuard(t *testing.T) {
	g := newGuard(true)
	g.host = "127.0.0.1:8470"
	g.next = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	ask := func(method, address string, cookies ...*http.Cookie) *http.Response {
		r := httptest.NewRequest(method, address, nil)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w.Result()
	}
	link := g.link()
	for name, r := range map[string]*http.Response{
		"no session": ask("GET", "http://127.0.0.1:8470/page/queue"), "a guess": ask("GET", link+"x"), "by POST": ask("POST", link),
		"a made-up session": ask("GET", "http://127.0.0.1:8470/page/queue", &http.Cookie{Name: cookieName, Value: "x"}),
		"no token":          ask("GET", "http://127.0.0.1:8470/link/"),
		"another name":      ask("GET", strings.Replace(link, "127.0.0.1", "evil.example", 1)),
	} {
		if r.StatusCode < 400 || r.StatusCode == http.StatusTeapot || len(r.Cookies()) != 0 || !strings.Contains(r.Header.Get("Cache-Control"), "no-store") {
			t.Errorf("%s: status %d", name, r.StatusCode)
		}
	}
	first := ask("GET", link)
	if len(first.Cookies()) != 1 {
		t.Fatalf("the link gives no session: status %d", first.StatusCode)
	}
	c := first.Cookies()[0]
	if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" {
		t.Errorf("others can have the cookie: %v", c)
	}
	if r := ask("GET", link); r.StatusCode != http.StatusForbidden {
		t.Errorf("the link is good twice: status %d", r.StatusCode)
	}
	if r := ask("GET", "http://127.0.0.1:8470/page/queue", c); r.StatusCode != http.StatusTeapot {
		t.Errorf("with the session: status %d", r.StatusCode)
	}
	if r := ask("GET", "http://evil.example:8470/page/queue", c); r.StatusCode == http.StatusTeapot {
		t.Error("a name of another site that leads here is answered")
	}
}

// TestFormsAreMeant takes forms of pages of this session only.
func TestFormsAreMeant(t *testing.T) {
	g := newGuard(true)
	g.host = "127.0.0.1:8470"
	for name, c := range map[string]struct {
		origin, site, csrf string
		want               bool
	}{
		"own page": {"http://127.0.0.1:8470", "same-origin", g.csrf, true}, "an old browser": {"", "", g.csrf, true},
		"no token": {"http://127.0.0.1:8470", "same-origin", "", false}, "another port": {"http://127.0.0.1:9", "same-site", g.csrf, false},
		"another site": {"https://evil.example", "cross-site", g.csrf, false},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8470/page/undo", nil)
		r.Header.Set("Origin", c.origin)
		r.Header.Set("Sec-Fetch-Site", c.site)
		if g.isMeant(r, c.csrf) != c.want {
			t.Errorf("%s: not %v", name, c.want)
		}
	}
	reader := newGuard(false)
	if reader.csrfOf(nil) != "" || reader.isMeant(httptest.NewRequest(http.MethodPost, "/", nil), reader.csrf) {
		t.Error("who may only read has forms")
	}
}
