package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"fairbridge/api"
)

// TestRefusals asks wrongly in every way that there is, and wants a documented error that
// names what was wrong.
func TestRefusals(t *testing.T) {
	c := newChecker(t)
	for _, tt := range []struct {
		line, body string
		headers    []string
		status     int
		want       string
	}{
		{"GET /v1/nothing", "", nil, 404, "no such path"},
		{"GET /v1/me/", "", nil, 404, "no such path"},
		{"GET //v1/me", "", nil, 404, "no such path"},
		{"GET /v1/../v1/me", "", nil, 404, "no such path"},
		{"GET /v1/jobs/", "", nil, 404, "no such path"},
		{"GET /v1%2Fme", "", nil, 404, "no such path"},
		{"GET /v1/jobs/%2e%2e%2f%2e%2e%2fetc%2fpasswd/x/y", "", nil, 404, "no such path"},
		{"GET /V1/me", "", nil, 404, "no such path"},
		{"POST /v1/queue", "{}", nil, 405, "does not take that method"},
		{"OPTIONS /v1/queue", "", nil, 405, "does not take that method"},
		{"TRACE /v1/queue", "", nil, 405, "does not take that method"},
		{"DELETE /v1/jobs/5", "", nil, 405, "does not take that method"},
		{"PUT /v1/actions", "{}", nil, 405, "does not take that method"},
		{"GET /v1/queue?colour=red", "", nil, 400, `no parameter \"colour\"`},
		{"GET /v1/queue?limit=1&limit=2", "", nil, 400, "parameter limit is given 2 times"},
		{"GET /v1/queue?limit=-1", "", nil, 400, "parameter limit cannot be -1"},
		{"GET /v1/queue?limit=100001", "", nil, 400, "parameter limit cannot be 100001"},
		{"GET /v1/queue?limit=many", "", nil, 400, "parameter limit cannot be"},
		{"GET /v1/queue?user=a;b", "", nil, 400, "query string cannot be read"},
		{"GET /v1/queue?user=%zz", "", nil, 400, "query string cannot be read"},
		{"GET /v1/me?user=root", "", nil, 400, "it takes none"},
		{"GET /v1/openapi.json?x=1", "", nil, 400, "it takes none"},
		{"GET /v1/changes?since=now", "", nil, 400, "parameter since"},
		{"GET /v1/me", "{}", nil, 400, "takes no body"},
		{"GET /v1/me", "", []string{"Authorization: "}, 401, "not proven"},
		{"GET /v1/me", "", []string{"Authorization: Munge x"}, 401, "not proven"},
		{"GET /v1/nodes?" + strings.Repeat("a", 9000), "", nil, 413, "address has more than 8192 bytes"},
		{"POST /v1/actions", `{"kind":"stop","why":"x"}`, nil, 400, "not said to be JSON"},
		{"POST /v1/actions", `kind=stop&why=x`, []string{"Content-Type: application/x-www-form-urlencoded"}, 400, "not said to be JSON"},
		{"POST /v1/actions", `{"kind":"stop"}`, []string{"Content-Type: text/plain"}, 400, "not said to be JSON"},
		{"POST /v1/actions", `{"kind":"stop","force":true}`, []string{"Content-Type: application/json"}, 400, `unknown field \"force\"`},
		{"POST /v1/actions", `{"kind":"stop"}{"kind":"resume"}`, []string{"Content-Type: application/json"}, 400, "something follows"},
		{"POST /v1/actions", ``, []string{"Content-Type: application/json"}, 400, "cannot be read"},
		{"POST /v1/actions", `[]`, []string{"Content-Type: application/json"}, 400, "cannot be read"},
		{"POST /v1/actions", strings.Repeat("[", 60000), []string{"Content-Type: application/json"}, 400, "cannot be read"},
		{"POST /v1/actions", `{"why":"` + strings.Repeat("a", 70000) + `"}`, []string{"Content-Type: application/json"}, 413, "body has more than 65536 bytes"},
		{"POST /v1/actions?kind=stop", `{}`, []string{"Content-Type: application/json"}, 400, "it takes none"},
		{"POST /v1/actions", `{"kind":"stop","why":"x"}`, []string{"Content-Type: application/json", "Origin: https://evil.example"}, 403, "another site"},
		{"POST /v1/link", `{}`, []string{"Content-Type: application/json", "Authorization: Test browser"}, 403, "no link for another"},
	} {
		actions := &fakeActions{}
		h := newTestHandler(t, func(cfg *Config) { cfg.Actions = actions })
		method, target, _ := strings.Cut(tt.line, " ")
		r := request(method, target, tt.body, tt.headers...)
		w := serve(h, r)
		if err := c.check(r, w); w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) || err != nil {
			t.Errorf("%.60s %.40s: %d %s %v, want %d %q", tt.line, tt.body, w.Code, w.Body, err, tt.status, tt.want)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Cache-Control") != "private, no-store" || w.Header().Get("ETag") != "" {
			t.Errorf("%.60s: headers %v", tt.line, w.Header())
		}
		if (tt.status == 405) != (w.Header().Get("Allow") != "") || (tt.status == 401) != (w.Header().Get("WWW-Authenticate") == "Munge") {
			t.Errorf("%.60s: Allow %q, WWW-Authenticate %q", tt.line, w.Header().Get("Allow"), w.Header().Get("WWW-Authenticate"))
		}
		if actions.acted.Load() != 0 {
			t.Errorf("%s %s: something was done", tt.line, tt.body)
		}
	}
}

// TestFaults wants what fails inside to be told without why, and logged once with it.
func TestFaults(t *testing.T) {
	c := newChecker(t)
	for _, tt := range []struct {
		name   string
		answer func(context.Context, api.Viewer, any) error
		status int
		want   string
		logged int
	}{
		{"error", func(context.Context, api.Viewer, any) error { return errors.New("password=hunter2") }, 500, "a fault inside fairbridge", 1},
		{"panic", func(context.Context, api.Viewer, any) error { panic("password=hunter2") }, 500, "a fault inside fairbridge", 1},
		{"told", func(context.Context, api.Viewer, any) error {
			return &api.Error{Code: api.CodeUnavailable, Message: "the database is out of reach"}
		}, 503, "the database is out of reach", 0},
		{"code of its own", func(context.Context, api.Viewer, any) error { return &api.Error{Code: "new", Message: "x"} }, 500, "a fault inside fairbridge", 1},
		{"slow", func(ctx context.Context, _ api.Viewer, _ any) error { <-ctx.Done(); return ctx.Err() }, 503, "takes too long", 0},
	} {
		var log bytes.Buffer
		h := newTestHandler(t, func(cfg *Config) {
			cfg.Answers = &fakeAnswers{tt.answer}
			cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
			cfg.Limits.AnswerTime = 20e6
		})
		r := request("GET", "/v1/queue?user=s3cret", "")
		w := serve(h, r)
		if err := c.check(r, w); w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) || err != nil || strings.Contains(w.Body.String(), "hunter2") {
			t.Errorf("%s: %d %s %v", tt.name, w.Code, w.Body, err)
		}
		if n := strings.Count(log.String(), "level=ERROR"); n != tt.logged || strings.Contains(log.String(), "s3cret") {
			t.Errorf("%s: logged %d times:\n%s", tt.name, n, log.String())
		}
		if tt.logged > 0 && !strings.Contains(log.String(), w.Header().Get("X-Request-Id")) {
			t.Errorf("%s: the log does not name request %s", tt.name, w.Header().Get("X-Request-Id"))
		}
		if (tt.status == http.StatusServiceUnavailable) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s: Retry-After %q", tt.name, w.Header().Get("Retry-After"))
		}
	}
}
