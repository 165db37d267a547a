package server

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/api/wire"
)

// judge serves a request that may be anything and wants a documented answer, no fault of ours
// and nothing done that was not asked for in full.
func (c *checker) judge(t testing.TB, r *http.Request) {
	actions := &fakeActions{}
	w := serve(newTestHandler(t, func(cfg *Config) { cfg.Actions = actions }), r)
	if w.Code >= 500 {
		t.Fatalf("%s %q: %d %s", r.Method, r.RequestURI, w.Code, w.Body)
	}
	isJSON := strings.HasPrefix(w.Header().Get("Content-Type"), "application/json")
	if err := c.check(r, w); err != nil && (isJSON || w.Code >= 400) {
		t.Fatalf("%s %q: %d %v\n%s", r.Method, r.RequestURI, w.Code, err, w.Body)
	}
	mayAct := r.Method == http.MethodPost && r.URL.Path == wire.ActionsPath && strings.HasPrefix(r.Header.Get("Authorization"), "Test ") &&
		strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "application/json") && r.Header.Get("Origin") == ""
	if actions.acted.Load() != 0 && !mayAct {
		t.Fatalf("%s %q %v: something was done", r.Method, r.RequestURI, r.Header)
	}
}

// FuzzRequests sends bytes as a request.
func FuzzRequests(f *testing.F) {
	c := newChecker(f)
	for _, line := range asked {
		r := newAsked(line)
		body := strings.SplitN(line, " ", 3)
		text := ""
		if len(body) == 3 {
			text = body[2]
		}
		f.Add(r.Method + " " + r.RequestURI + " HTTP/1.1\r\nHost: h\r\nAuthorization: Test ann\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(text)) + "\r\n\r\n" + text)
	}
	for _, raw := range []string{
		"GET / HTTP/1.0\r\n\r\n", "GET http://evil/v1/me HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /v1/me HTTP/1.1\r\nHost: h\r\nAuthorization: Test a\r\nAuthorization: Test b\r\n\r\n", "GET /link/s3cret HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST /v1/actions HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"kin\r\n0\r\n\r\n",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
		if err != nil || strings.HasPrefix(r.URL.EscapedPath(), "/link/") && r.URL.Path != "/link/s3cret" {
			return // the fake panics at other tokens
		}
		r.RemoteAddr = "10.0.0.1:1"
		c.judge(t, r)
	})
}

// TestRandomRequests draws requests from the document, and spoils them.
func TestRandomRequests(t *testing.T) {
	c := newChecker(t)
	var paths []string
	for path := range c.doc.Paths.Map() {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	rapid.Check(t, func(rt *rapid.T) {
		junk := rapid.OneOf(rapid.SampledFrom([]string{"", "0", "-1", "1", "true", "8h", "2026-03-02T00:00:00Z", "99999999999999999999", "../..", "%00", "47_[0-9]", "\x00", "{}", "null", "é"}), rapid.String())
		path := rapid.SampledFrom(append([]string{"/v2/me", "/v1", "/"}, paths...)).Draw(rt, "path")
		target := ""
		for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			if strings.HasPrefix(part, "{") || rapid.IntRange(0, 30).Draw(rt, "spoil") == 0 {
				part = url.PathEscape(junk.Draw(rt, "segment"))
			}
			target += "/" + part
		}
		query := url.Values{}
		if item := c.doc.Paths.Value(path); item != nil && item.Get != nil {
			for _, p := range item.Get.Parameters {
				for range rapid.SampledFrom([]int{0, 0, 1, 1, 2}).Draw(rt, p.Value.Name) {
					query.Add(p.Value.Name, junk.Draw(rt, "value"))
				}
			}
		}
		if rapid.IntRange(0, 9).Draw(rt, "unknown") == 0 {
			query.Add(junk.Draw(rt, "name"), "1")
		}
		if len(query) > 0 {
			target += "?" + query.Encode()
		}
		u, err := url.ParseRequestURI(target)
		if err != nil {
			rt.Skip(err)
		}
		method := rapid.SampledFrom([]string{"GET", "GET", "POST", "HEAD", "PUT", "TRACE", "get"}).Draw(rt, "method")
		body := ""
		if method == "POST" || rapid.IntRange(0, 9).Draw(rt, "body") == 0 {
			body = rapid.OneOf(rapid.Just(`{"kind":"stop","why":"x"}`), rapid.Just("{}"), junk).Draw(rt, "text")
		}
		r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
		r.Method, r.URL, r.RequestURI = method, u, target
		for _, name := range []string{"Authorization", "Content-Type", "Accept-Encoding", "If-None-Match", "Origin", "Cookie", "Host", "X-Request-Id"} {
			good := map[string]string{"Authorization": "Test ann", "Content-Type": "application/json", "Accept-Encoding": "gzip"}[name]
			if v := rapid.OneOf(rapid.Just(good), rapid.Just(good), junk).Draw(rt, name); v != "" {
				r.Header.Set(name, v)
			}
		}
		if strings.HasPrefix(target, "/link/") {
			return
		}
		c.judge(t, r)
	})
}
