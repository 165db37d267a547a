package page_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/api"
	"fairbridge/api/identity"
	"fairbridge/api/page"
	"fairbridge/api/page/recording"
	"fairbridge/api/server"
	"fairbridge/bridge/slurm/slurmdb"
)

// answers are those of a recording, told to who is proven to ask.
type answers struct {
	server.Answers
	rec *recording.Recording
}

func (a *answers) Queue(ctx context.Context, _ api.Viewer, q api.QueueQuery) (*api.Queue, error) {
	return a.rec.Queue(ctx, q)
}

func (a *answers) Changes(ctx context.Context, _ api.Viewer, q api.ChangeQuery) (*api.Changes, error) {
	return a.rec.Changes(ctx, q)
}

// actions remember what was asked for.
type actions struct{ asked []api.ActionRequest }

func (a *actions) Act(_ context.Context, _ api.Viewer, r api.ActionRequest) (*api.Action, error) {
	a.asked = append(a.asked, r)
	done := &api.Action{ActionRequest: r, Effect: "gives back <one> change"}
	if r.Confirm != "" {
		done.ID = 7
	}
	done.Confirm = "confirm-1"
	return done, nil
}

func (a *actions) List(context.Context, api.Viewer, int, string) (*api.Actions, error) {
	return &api.Actions{}, nil
}

// site is a daemon's listener with pages, and root as an operator or a plain user.
type site struct {
	http.Handler
	who  *identity.Identifier
	acts *actions
}

type hosts struct{}

func (hosts) IsOwn(host string) bool { return host == "fair.example" }
func (hosts) List() []string         { return []string{"fair.example"} }

func newSite(t *testing.T, isOperator bool) *site {
	t.Helper()
	who, err := identity.New(identity.Config{
		URL: "https://fair.example", Hosts: hosts{}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		ReadUsers: func(context.Context) ([]slurmdb.User, error) {
			return []slurmdb.User{{Name: "root", IsOperator: isOperator}}, nil
		},
		ReadSlurmdbdConf: func(context.Context) (map[string]string, error) { return map[string]string{}, nil },
		ReadSlurmConf: func(context.Context) (map[string]string, error) {
			return map[string]string{"PrivateData": "none"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	go who.Run(t.Context())
	log := slog.New(slog.DiscardHandler)
	acts := &actions{}
	h := server.NewHandler(server.Config{
		Answers: &answers{rec: readDemo(t)}, Identity: who, Links: who, Actions: acts, Limits: server.DefaultLimits(),
		Metrics: server.NewMetrics(prometheus.NewRegistry()), Log: log,
	})
	return &site{page.Mount(h, page.NewOverAPI(h, page.Config{Log: log})), who, acts}
}

// send sends a request over TLS with cookies.
func (s *site) send(method, path, form string, cookies []*http.Cookie, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "https://fair.example"+path, strings.NewReader(form))
	r.TLS = &tls.ConnectionState{}
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// signIn follows a one-time link.
func (s *site) signIn(t *testing.T) []*http.Cookie {
	t.Helper()
	link, _, err := s.who.NewLink(api.Viewer{User: "root", Origin: api.OriginMunge})
	if err != nil {
		t.Fatal(err)
	}
	return s.send(http.MethodGet, strings.TrimPrefix(link, "https://fair.example"), "", nil).Result().Cookies()
}

// TestLinkLeadsToTheQueue goes the way of a browser: without a session nothing is shown, with one the queue.
func TestLinkLeadsToTheQueue(t *testing.T) {
	s := newSite(t, false)
	if w := s.send(http.MethodGet, page.Prefix+"queue", "", nil); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "alice") {
		t.Errorf("without a session: status %d", w.Code)
	}
	cookies := s.signIn(t)
	for _, c := range cookies {
		if !c.Secure || c.SameSite != http.SameSiteStrictMode || !c.HttpOnly && c.Name == identity.SessionCookie {
			t.Errorf("cookie %s can be had by others", c.Name)
		}
	}
	if w := s.send(http.MethodGet, "/", "", cookies); w.Header().Get("Location") != page.Prefix+"queue" {
		t.Errorf("/ leads to %q", w.Header().Get("Location"))
	}
	w := s.send(http.MethodGet, page.Prefix+"queue?state=PENDING", "", cookies, "Accept-Encoding", "gzip")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<h1>Queue") || strings.Contains(w.Body.String(), "RUNNING <small>") {
		t.Errorf("the queue: status %d", w.Code)
	}
	forged := []*http.Cookie{{Name: identity.SessionCookie, Value: strings.Repeat("A", 43)}}
	if w := s.send(http.MethodGet, page.Prefix+"queue", "", forged); w.Code != http.StatusUnauthorized {
		t.Errorf("with a made-up session: status %d", w.Code)
	}
}

var hiddenField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// TestUndo undoes a change in two steps, and not where a page of another site may have sent the form.
func TestUndo(t *testing.T) {
	s := newSite(t, true)
	cookies := s.signIn(t)
	body := s.send(http.MethodGet, page.Prefix+"changes", "", cookies).Body.String()
	found := hiddenField.FindStringSubmatch(body)
	if found == nil {
		t.Fatal("an operator has no form to undo a change")
	}
	form := url.Values{"csrf": {found[1]}, "change": {"12"}, "why": {"ticket 3"}}
	own := []string{"Origin", "https://fair.example", "Sec-Fetch-Site", "same-origin"}
	without := url.Values{"change": {"12"}, "why": {"ticket 3"}}
	for name, w := range map[string]*httptest.ResponseRecorder{
		"no token":      s.send(http.MethodPost, page.Prefix+"undo", without.Encode(), cookies, own...),
		"another site":  s.send(http.MethodPost, page.Prefix+"undo", form.Encode(), cookies, "Origin", "https://evil.example"),
		"another's tab": s.send(http.MethodPost, page.Prefix+"undo", form.Encode(), cookies, "Sec-Fetch-Site", "cross-site"),
		"origin null":   s.send(http.MethodPost, page.Prefix+"undo", form.Encode(), cookies, "Origin", "null"),
		"no session":    s.send(http.MethodPost, page.Prefix+"undo", form.Encode(), nil, own...),
		"by address":    s.send(http.MethodGet, page.Prefix+"undo?"+form.Encode(), "", cookies, own...),
	} {
		if w.Code < 400 || len(s.acts.asked) != 0 {
			t.Fatalf("%s: status %d, asked %v", name, w.Code, s.acts.asked)
		}
	}
	w := s.send(http.MethodPost, page.Prefix+"undo", form.Encode(), cookies, own...)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "gives back &lt;one&gt; change") || !strings.Contains(w.Body.String(), "Do it") {
		t.Fatalf("the first step: %d %s", w.Code, w.Body)
	}
	form.Set("confirm", "confirm-1")
	if w = s.send(http.MethodPost, page.Prefix+"undo", form.Encode(), cookies, own...); !strings.Contains(w.Body.String(), "as action 7") {
		t.Errorf("the second step: %d %s", w.Code, w.Body)
	}
	if len(s.acts.asked) != 2 || s.acts.asked[1].Confirm != "confirm-1" || s.acts.asked[0].Kind != api.ActionUndo || s.acts.asked[0].Change != 12 {
		t.Errorf("asked for %+v", s.acts.asked)
	}
}

// TestOnlyOperatorsSeeForms shows no form to a plain user.
func TestOnlyOperatorsSeeForms(t *testing.T) {
	s := newSite(t, false)
	w := s.send(http.MethodGet, page.Prefix+"changes", "", s.signIn(t))
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), `method="post"`) {
		t.Errorf("status %d, or a form for a plain user", w.Code)
	}
}
