package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fairbridge/api"
)

// TestTags wants an answer that did not change to be told by its tag, and another viewer's
// never.
func TestTags(t *testing.T) {
	h := newTestHandler(t)
	first := serve(h, request("GET", "/v1/queue", ""))
	tag := first.Header().Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) || first.Header().Get("Vary") != "Accept-Encoding, Authorization, Cookie" {
		t.Fatalf("%v", first.Header())
	}
	for _, tt := range []struct {
		headers []string
		target  string
		status  int
	}{
		{[]string{"If-None-Match: " + tag}, "/v1/queue", 304},
		{[]string{`If-None-Match: "x", ` + strings.TrimPrefix(tag, "W/")}, "/v1/queue", 304},
		{[]string{"If-None-Match: *"}, "/v1/queue", 304},
		{[]string{`If-None-Match: "x"`}, "/v1/queue", 200},
		{[]string{"If-None-Match: " + tag}, "/v1/nodes", 200},
		{[]string{"If-None-Match: " + tag, "Authorization: Test bob"}, "/v1/queue", 200},
		{[]string{"If-None-Match: " + tag, "Authorization: "}, "/v1/queue", 401},
	} {
		w := serve(h, request("GET", tt.target, "", tt.headers...))
		if w.Code != tt.status || (tt.status == 304) != (w.Body.Len() == 0) {
			t.Errorf("%s %q: %d, %d bytes, want %d", tt.target, tt.headers, w.Code, w.Body.Len(), tt.status)
		}
	}
}

func TestPackedAnswersAreTheSame(t *testing.T) {
	h := newTestHandler(t)
	plain := serve(h, request("GET", "/v1/queue", "")).Body.Bytes()
	for accept, want := range map[string]string{"gzip": "gzip", "br, GZIP;q=1": "gzip", "gzip;q=0": "", "identity": "", "": "", "gzip;q=x": ""} {
		w := serve(h, request("GET", "/v1/queue", "", "Accept-Encoding: "+accept))
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q: packed as %q", accept, got)
			continue
		}
		body := w.Body.Bytes()
		if want != "" {
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(body, plain) {
			t.Errorf("%q: another answer", accept)
		}
	}
}

func TestHeadHasHeadersOnly(t *testing.T) {
	h := newTestHandler(t)
	get, head := serve(h, request("GET", "/v1/me", "")), serve(h, request("HEAD", "/v1/me", ""))
	if head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") != get.Header().Get("Content-Length") {
		t.Errorf("%d %v %s", head.Code, head.Header(), head.Body)
	}
	if w := serve(h, request("HEAD", "/v1/none", "")); w.Code != 404 || w.Body.Len() != 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestLinks wants a token to be in no log and no metric, and the index to need no proof.
func TestLinks(t *testing.T) {
	var log bytes.Buffer
	registry := prometheus.NewRegistry()
	h := newTestHandler(t, func(cfg *Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		cfg.Metrics = NewMetrics(registry)
	})
	w := serve(h, request("POST", "/v1/link", "{}", "Content-Type: application/json"))
	if !strings.Contains(w.Body.String(), `"url":"https://h/link/s3cret-of-ann"`) {
		t.Errorf("%s", w.Body)
	}
	w = serve(h, request("GET", "/link/s3cret", "", "Authorization: "))
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/" || w.Header().Get("Referrer-Policy") != "no-referrer" || w.Header().Get("Cache-Control") != "private, no-store" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w = serve(h, request("GET", "/link/s3cret2", "", "Authorization: ")); w.Code != 500 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w = serve(h, request("GET", "/", "", "Authorization: ")); w.Code != 200 || !strings.Contains(w.Body.String(), `<a href="/v1/queue">`) || !strings.Contains(w.Body.String(), "/v1/jobs/{job}/use") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	families, err := registry.Gather()
	if err != nil || strings.Contains(log.String(), "s3cret") || !strings.Contains(log.String(), "/link/{token}") {
		t.Errorf("%v\n%s", err, log.String())
	}
	for _, f := range families {
		if strings.Contains(f.String(), "s3cret") {
			t.Error(f)
		}
	}
}

func TestMetrics(t *testing.T) {
	h := newTestHandler(t)
	for _, target := range []string{"/v1/jobs/1", "/v1/jobs/2", "/v1/jobs/3?x=1", "/anything", "/else"} {
		serve(h, request("GET", target, ""))
	}
	want := `# HELP fairbridge_api_requests_total Requests to the API by route and HTTP status.
# TYPE fairbridge_api_requests_total counter
fairbridge_api_requests_total{code="200",route="/v1/jobs/{job}"} 2
fairbridge_api_requests_total{code="400",route="/v1/jobs/{job}"} 1
fairbridge_api_requests_total{code="404",route="other"} 2
`
	if err := testutil.CollectAndCompare(h.cfg.Metrics.requests, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	if n := testutil.CollectAndCount(h.cfg.Metrics.seconds); n != 2 {
		t.Errorf("%d histograms", n)
	}
}

// TestRates wants one user's requests to be bounded, another's not by them, and refused ones
// by their address.
func TestRates(t *testing.T) {
	synctest.Test(t, testRates) // who asks too often waits to be told
}

func testRates(t *testing.T) {
	now := time.Unix(1e9, 0)
	h := newTestHandler(t, func(cfg *Config) {
		cfg.Now = func() time.Time { return now }
		cfg.Limits.Rate, cfg.Limits.Burst, cfg.Limits.AddressRate, cfg.Limits.AddressBurst = 0.5, 3, 1, 2
	})
	ask := func(user, address string) int {
		r := request("GET", "/v1/me", "", "Authorization: "+user)
		r.RemoteAddr = address
		w := serve(h, r)
		if w.Code == 429 && w.Header().Get("Retry-After") == "" {
			t.Error("it does not say when to come back")
		}
		return w.Code
	}
	expect := func(what string, got int, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	for range 3 {
		expect("within the burst", ask("Test ann", "10.0.0.1:1"), 200)
	}
	expect("beyond it", ask("Test ann", "10.0.0.2:1"), 429)
	expect("another user", ask("Test bob", "10.0.0.1:1"), 200)
	now = now.Add(2 * time.Second)
	expect("later", ask("Test ann", "10.0.0.1:1"), 200)
	expect("too soon", ask("Test ann", "10.0.0.1:1"), 429)

	for _, want := range []int{401, 401, 429, 429} {
		expect("of nobody", ask("", "10.0.0.1:2"), want)
	}
	expect("a user beside nobody", ask("Test bob", "10.0.0.1:5"), 200)
	munged := "Munge MUNGE:" + strings.Repeat("AAAA", 30) + ":"
	expect("refused", ask(munged, "10.0.0.1:2"), 401)
	expect("refused", ask(munged, "10.0.0.1:3"), 401)
	expect("refused too often", ask(munged, "10.0.0.1:4"), 429)
	expect("a user beside refused ones", ask("Test eve", "10.0.0.1:5"), 200)
	for range 30 {
		ask("Munge MUNGE:AwQF:", "10.0.0.8:4")
	}
	expect("a credential beside text that can be none", ask(munged, "10.0.0.8:5"), 401)
	expect("of another", ask("Test eve", "10.0.0.2:5"), 200)
	now = now.Add(time.Second)
	expect("a user of that address, later", ask("Test eve", "10.0.0.1:5"), 200)

	expect("IPv6", ask("", "[2001:db8::1]:2"), 401)
	expect("IPv6 of one network", ask("", "[2001:db8::2]:2"), 401)
	expect("IPv6 of one network, too often", ask("", "[2001:db8::3]:2"), 429)
	for i, want := range []int{200, 200, 429} {
		r := httptest.NewRequest("GET", "/v1/health", nil)
		r.RemoteAddr = "10.0.0.9:1"
		if w := serve(h, r); w.Code != want {
			t.Errorf("health, time %d: %d", i, w.Code)
		}
	}
}

// TestLimitersAreBounded has more users ask than are kept.
func TestLimitersAreBounded(t *testing.T) {
	now := time.Unix(1e9, 0)
	table := newLimiterTable(1, 2)
	key := func(i int) string { return strings.Repeat("u", i%7) + string(rune(i)) }
	for i := range mostLimiters {
		table.allow(key(i+0x4e00), now)
	}
	if len(table.limiters) < mostLimiters/2 {
		t.Fatalf("%d limiters: the test is broken", len(table.limiters))
	}
	for i := 0; len(table.limiters) < mostLimiters; i++ {
		table.allow("x"+key(i+0x4e00), now)
	}
	for _, want := range []bool{true, true, false} {
		if _, ok := table.allow("new"+time.Duration(len(table.limiters)).String(), now); ok != want {
			t.Errorf("newcomers: %t", ok)
		}
	}
	if _, ok := table.allow("later", now.Add(time.Minute)); !ok || len(table.limiters) != 1 {
		t.Errorf("%d limiters are left of those idle", len(table.limiters))
	}
}

// TestCapacity wants what is too much at once to wait, then to be refused, and one user never
// to take all.
func TestCapacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		h := newTestHandler(t, func(cfg *Config) {
			cfg.Answers = &fakeAnswers{func(ctx context.Context, _ api.Viewer, _ any) error {
				select {
				case <-free:
				case <-ctx.Done():
				}
				return ctx.Err()
			}}
			cfg.Limits.Capacity, cfg.Limits.MaxInFlight, cfg.Limits.QueueTime = 8, 2, time.Second
		})
		codes := make(chan int, 10)
		ask := func(user, target string) {
			go func() { codes <- serve(h, request("GET", target, "", "Authorization: Test "+user)).Code }()
			synctest.Wait()
		}
		ask("ann", "/v1/queue")
		ask("ann", "/v1/queue")
		ask("ann", "/v1/queue")
		if code := <-codes; code != 429 {
			t.Errorf("a third of ann's: %d", code)
		}
		ask("bob", "/v1/queue?limit=29999")
		ask("eve", "/v1/queue")
		time.Sleep(1100 * time.Millisecond)
		if code := <-codes; code != 503 {
			t.Errorf("beyond the capacity: %d", code)
		}
		ask("eve", "/v1/queue?limit=100000") // more than all of it: it waits for all of it
		close(free)
		for range 4 {
			if code := <-codes; code != 200 {
				t.Errorf("in turn: %d", code)
			}
		}
	})
}

// TestFailuresAreLoggedWithTheirCause: who asks is told that it failed, the log why, under the same id.
func TestFailuresAreLoggedWithTheirCause(t *testing.T) {
	var log bytes.Buffer
	h := newTestHandler(t, func(cfg *Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		cfg.Answers = &fakeAnswers{answer: func(context.Context, api.Viewer, any) error {
			told := &api.Error{Code: api.CodeInternal, Message: "reading failed"}
			return &api.CausedError{Told: told, Cause: errors.New("SQLSTATE 22021")}
		}}
	})
	w := serve(h, request("GET", "/v1/queue", ""))
	id := w.Header().Get("X-Request-Id")
	body := w.Body.String()
	if w.Code != 500 || strings.Contains(body, "22021") || !strings.Contains(body, "reading failed") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "22021") || id == "" || !strings.Contains(log.String(), id) {
		t.Errorf("the log has %q, the request was %q", log.String(), id)
	}
}

// TestTextThatIsNone: control characters and what is no UTF-8 are refused wherever text can stand.
func TestTextThatIsNone(t *testing.T) {
	h := newTestHandler(t)
	for _, r := range []*http.Request{
		request("GET", "/v1/changes?user=%00", ""), request("GET", "/v1/queue?user=%ff", ""),
		request("GET", "/v1/jobs/7%00", ""),
		request("GET", "/v1/reports/usage?account=%ed%a0%80", ""), request("GET", "/v1/queue?user=%1b%5b2J", ""),
		request("POST", "/v1/actions", `{"kind":"stop","why":"a\u0000b"}`, "Content-Type: application/json"),
		request("POST", "/v1/actions", "{\"kind\":\"stop\",\"why\":\"\xff\"}", "Content-Type: application/json"),
	} {
		if w := serve(h, r); w.Code != 400 {
			t.Errorf("%s: %d %s", r.URL, w.Code, w.Body)
		}
	}
}
