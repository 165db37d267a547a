package webcommand

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"sync"

	"fairbridge/api/page"
	"fairbridge/bridge/printable"
)

// cookieName is the cookie of the session. Browsers take this host for as safe as https.
const cookieName = "__Host-fairbridge-web"

// guard lets the one browser through that opened the link: every user of this host can reach the port.
type guard struct {
	next   http.Handler
	host   string // that browsers must have asked for: no name of another site that leads here
	mayAct bool

	session, csrf string
	mu            sync.Mutex
	token         string // of the link; "": it was used
}

func newGuard(mayAct bool) *guard {
	return &guard{mayAct: mayAct, session: rand.Text(), csrf: rand.Text(), token: rand.Text()}
}

// link is the address that signs a browser in, once.
func (g *guard) link() string { return "http://" + g.host + "/link/" + g.token }

// ServeHTTP refuses what is not of the session.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for k, v := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"} {
		h.Set(k, v)
	}
	switch {
	case r.Host != g.host:
		http.Error(w, "ask for "+g.host, http.StatusMisdirectedRequest)
	case g.take(r):
		http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.session, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode})
		h.Set("Content-Type", "text/html; charset=utf-8")
		// No redirect: a browser that came from another site would follow it without the cookie.
		printable.Fprintf(w, `<!doctype html><html lang="en"><title>fairbridge</title><meta http-equiv="refresh" content="0;url=%[1]s"><p><a href="%[1]s">Go on</a>`, page.Prefix+"queue")
	case !g.isKnown(r):
		http.Error(w, "This browser is not signed in, or the link was used: start fairbridge web again.", http.StatusForbidden)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// take reports whether a request follows the link, for the first time.
func (g *guard) take(r *http.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Method != http.MethodGet || g.token == "" || !isSame(r.URL.Path, "/link/"+g.token) {
		return false
	}
	g.token = ""
	return true
}

func (g *guard) isKnown(r *http.Request) bool {
	cookies := r.CookiesNamed(cookieName)
	return len(cookies) == 1 && isSame(cookies[0].Value, g.session)
}

// csrfOf is what a form must hold.
func (g *guard) csrfOf(*http.Request) string {
	if !g.mayAct {
		return ""
	}
	return g.csrf
}

// isMeant reports whether a form was sent by a page of this session.
func (g *guard) isMeant(r *http.Request, csrf string) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	return g.mayAct && isSame(csrf, g.csrf) && (site == "" || site == "same-origin") && (origin == "" || origin == "http://"+g.host)
}

func isSame(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
