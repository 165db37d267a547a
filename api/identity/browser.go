package identity

import (
	"crypto/subtle"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"fairbridge/api"
)

// The cookies of a browser. Browsers send those called __Host- back to this host only, over TLS.
const (
	SessionCookie = "__Host-fairbridge"
	CSRFCookie    = "__Host-fairbridge-csrf" // its value goes into CSRFHeader
)

// CSRFHeader must come with an action of a browser: a page of another site cannot send it.
const CSRFHeader = "X-Fairbridge-CSRF"

// NewLink returns an address that signs a browser in, once and within five minutes, as who
// asks for it. It fails for who came by a browser, so that no session lives on by itself.
func (i *Identifier) NewLink(v api.Viewer) (link string, until time.Time, err error) {
	if v.Origin == api.OriginBrowser || v.Origin == api.OriginProxy || v.User == "" {
		return "", time.Time{}, &api.Error{Code: api.CodeForbidden, Message: "a link is not handed out to a browser", Try: "fairbridge link on a host of the cluster"}
	}
	if i.cfg.URL == "" {
		return "", time.Time{}, &api.Error{Code: api.CodeUnavailable, Message: "browsers cannot reach fairbridge here (api.listen)", Try: "ask the operators"}
	}
	token, e, err := i.links.add(v.User)
	if err != nil {
		return "", time.Time{}, err
	}
	return strings.TrimSuffix(i.cfg.URL, "/") + "/link/" + token, e.until, nil
}

// Redeem answers a browser that follows a link: it signs it in, and sends it on.
func (i *Identifier) Redeem(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Type", "text/html; charset=utf-8")
	session, e, err := i.redeem(r)
	if err != nil {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<!doctype html><title>fairbridge</title><p>This link was used, is too old, or never was one. Ask for a new one: <code>fairbridge link</code>.")
		return
	}
	cookie := http.Cookie{Name: SessionCookie, Value: session, Path: "/", Expires: e.until, Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode}
	http.SetCookie(w, &cookie)
	cookie.Name, cookie.Value, cookie.HttpOnly = CSRFCookie, e.csrf, false
	http.SetCookie(w, &cookie)
	// No redirect: a browser that came from another site would follow it without the cookie.
	_, _ = io.WriteString(w, `<!doctype html><title>fairbridge</title><meta http-equiv="refresh" content="0;url=/"><p><a href="/">Go on</a>`)
}

// redeem takes the link's token and begins a session.
func (i *Identifier) redeem(r *http.Request) (session string, e tokenEntry, err error) {
	if r.TLS == nil || r.Method != http.MethodGet {
		return "", tokenEntry{}, refuse("a link is followed over https", "")
	}
	link, ok := i.links.take(path.Base(r.URL.Path))
	if !ok {
		return "", tokenEntry{}, refuse("the link is not good", "")
	}
	return i.sessions.add(link.user)
}

// proveByCookie tells whose session the browser has.
func (i *Identifier) proveByCookie(r *http.Request) (proof, error) {
	cookies := r.CookiesNamed(SessionCookie)
	switch {
	case len(cookies) == 0:
		return proof{}, nil
	case len(cookies) > 1 || r.TLS == nil:
		return proof{}, refuse("the request does not have one session over TLS", tryProve)
	}
	e, ok := i.sessions.find(cookies[0].Value)
	if !ok {
		return proof{}, refuse("the session of this browser is over", "fairbridge link on a host of the cluster hands out a new one")
	}
	return proof{e.user, api.OriginBrowser}, i.users.check(r.Context(), e.user)
}

// MayAct returns an error where a request may have been sent by a page of another site in
// somebody's browser: whoever comes by a cookie or a proxy must send what such a page cannot.
func (i *Identifier) MayAct(r *http.Request, v api.Viewer) error {
	if len(r.CookiesNamed(SessionCookie)) == 0 && v.Origin != api.OriginBrowser && v.Origin != api.OriginProxy {
		return nil
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return newForgery()
	}
	if origin := r.Header.Get("Origin"); origin != "" && !i.isOwnOrigin(origin, r.Host) {
		return newForgery()
	}
	token := r.Header.Get(CSRFHeader)
	cookies := r.CookiesNamed(SessionCookie)
	if len(cookies) == 0 { // of a proxy: that the header is there is what no other site's page can do
		if token == "" {
			return newForgery()
		}
		return nil
	}
	e, ok := i.sessions.find(cookies[0].Value)
	if !ok || len(cookies) > 1 || subtle.ConstantTimeCompare([]byte(token), []byte(e.csrf)) != 1 {
		return newForgery()
	}
	return nil
}

// isOwnOrigin reports whether a page is of this daemon, by the name it was asked by or its URL.
func (i *Identifier) isOwnOrigin(origin, host string) bool {
	own, err := url.Parse(i.cfg.URL)
	return origin == "https://"+host || err == nil && own.Host != "" && origin == own.Scheme+"://"+own.Host
}

func newForgery() *api.Error {
	return &api.Error{Code: api.CodeForbidden, Message: "the browser does not show that the action is meant",
		Try: "send the value of the cookie " + CSRFCookie + " as the header " + CSRFHeader}
}
