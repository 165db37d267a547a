// Package identity tells who sends a request to the daemon and what they may see and do.
//
// Who asks is proven in one of four ways: by the kernel on a unix socket, by a munge
// credential made for this request (package credential), by a reverse proxy that knows a
// secret, or by the cookie of a browser that came through a one-time link. What they may do is
// what Slurm's accounting and the configuration say. What cannot be told gives no rights.
package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
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

// Lives and numbers of what browsers come with.
const (
	linkLife          = 5 * time.Minute
	sessionLife       = 8 * time.Hour
	maxLinksOfUser    = 5
	maxSessionsOfUser = 10
	maxTokens         = 10_000 // of all users
)

// newToken draws 256 bits.
func newToken() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// tokenEntry is whose a token is.
type tokenEntry struct {
	user  string
	csrf  string // of a session: what its pages send with actions
	until time.Time
}

// tokenStore keeps hashes of tokens, so that neither its memory nor the time of a look-up
// tells one.
type tokenStore struct {
	now       func() time.Time
	life      time.Duration
	mostOfOne int

	mu     sync.Mutex
	byHash map[[sha256.Size]byte]tokenEntry
}

func newTokenStore(now func() time.Time, life time.Duration, mostOfOne int) *tokenStore {
	return &tokenStore{now: now, life: life, mostOfOne: mostOfOne, byHash: map[[sha256.Size]byte]tokenEntry{}}
}

// add makes a token of a user. The user's oldest makes way where they have too many.
func (s *tokenStore) add(user string) (token string, e tokenEntry, err error) {
	token, now := newToken(), s.now()
	e = tokenEntry{user: user, csrf: newToken(), until: now.Add(s.life)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom(user, now)
	if len(s.byHash) >= maxTokens {
		return "", tokenEntry{}, &api.Error{Code: api.CodeTooMany, Message: "too many browsers are signed in", Try: "try again later"}
	}
	s.byHash[sha256.Sum256([]byte(token))] = e
	return token, e, nil
}

// makeRoom drops what ended, and the user's oldest.
func (s *tokenStore) makeRoom(user string, now time.Time) {
	for {
		var oldest [sha256.Size]byte
		count := 0
		for key, e := range s.byHash {
			switch {
			case !now.Before(e.until):
				delete(s.byHash, key)
			case e.user == user:
				if count == 0 || e.until.Before(s.byHash[oldest].until) {
					oldest = key
				}
				count++
			}
		}
		if count < s.mostOfOne {
			return
		}
		delete(s.byHash, oldest)
	}
}

// find returns whose a token is that is still good.
func (s *tokenStore) find(token string) (tokenEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.byHash[sha256.Sum256([]byte(token))]
	return e, ok && s.now().Before(e.until)
}

// take is find for a token that is good once.
func (s *tokenStore) take(token string) (tokenEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(token))
	e, ok := s.byHash[key]
	delete(s.byHash, key)
	return e, ok && s.now().Before(e.until)
}
