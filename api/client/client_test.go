package client

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/api/apitest"
)

// newClient asks a server with the handler, over TLS.
func newClient(t *testing.T, h http.HandlerFunc, change ...func(*Config)) *Client {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	cfg := Config{URL: s.URL, CAFile: filepath.Join(t.TempDir(), "ca.pem")}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(cfg.CAFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestAnswersArriveWhole sends each answer with every field set and wants it to arrive so, by
// the method that is for it.
func TestAnswersArriveWhole(t *testing.T) {
	var c *Client
	for _, tt := range []struct {
		want any
		uri  string
		ask  func(ctx context.Context) (any, error)
	}{
		{new(api.Health), "GET /v1/health", func(ctx context.Context) (any, error) { return c.Health(ctx) }},
		{new(api.Viewer), "GET /v1/me", func(ctx context.Context) (any, error) { v, err := c.Me(ctx); return &v, err }},
		{new(api.Queue), "GET /v1/queue?estimates=true&partition=a&partition=b", func(ctx context.Context) (any, error) {
			return c.Queue(ctx, api.QueueQuery{Partitions: []string{"a", "b"}, Estimates: true})
		}},
		{new(api.Job), "GET /v1/jobs/47_%5B0-9%5D", func(ctx context.Context) (any, error) { return c.Job(ctx, "47_[0-9]") }},
		{new(api.JobUse), "GET /v1/jobs/..%2Fme%3F/use", func(ctx context.Context) (any, error) { return c.JobUse(ctx, "../me?") }},
		{new(api.When), "GET /v1/when?gpus=2&time_limit=8h0m0s", func(ctx context.Context) (any, error) {
			return c.When(ctx, api.WhenQuery{GPUs: 2, Limit: 8 * time.Hour})
		}},
		{new(api.Changes), "GET /v1/changes?after=x&limit=3&since=2026-03-02T00%3A00%3A00Z", func(ctx context.Context) (any, error) {
			return c.Changes(ctx, api.ChangeQuery{Since: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Limit: 3, After: "x"})
		}},
		{new(api.Nodes), "GET /v1/nodes", func(ctx context.Context) (any, error) { return c.Nodes(ctx, api.NodeQuery{}) }},
		{new(api.Shares), "GET /v1/shares", func(ctx context.Context) (any, error) { return c.Shares(ctx) }},
		{new(api.ReportList), "GET /v1/reports", func(ctx context.Context) (any, error) { return c.Reports(ctx) }},
		{new(api.Report), "GET /v1/reports/usage?user=ann", func(ctx context.Context) (any, error) {
			return c.Report(ctx, "usage", api.ReportQuery{User: "ann"})
		}},
		{new(api.Policies), "GET /v1/policies", func(ctx context.Context) (any, error) { return c.Policies(ctx) }},
		{new(api.Studies), "GET /v1/studies", func(ctx context.Context) (any, error) { return c.Studies(ctx) }},
		{new(api.Actions), "GET /v1/actions?limit=5", func(ctx context.Context) (any, error) { return c.Actions(ctx, 5, "") }},
		{new(api.Action), "POST /v1/actions", func(ctx context.Context) (any, error) { return c.Act(ctx, api.ActionRequest{Kind: api.ActionStop}) }},
		{new(api.Link), "POST /v1/link", func(ctx context.Context) (any, error) { return c.NewLink(ctx) }},
	} {
		apitest.Fill(tt.want)
		var uri string
		c = newClient(t, func(w http.ResponseWriter, r *http.Request) {
			uri = r.Method + " " + r.RequestURI
			_ = json.NewEncoder(w).Encode(tt.want)
		})
		got, err := tt.ask(t.Context())
		if err != nil {
			t.Errorf("%s: %v", tt.uri, err)
		} else if d := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(report.Report{})); d != "" {
			t.Errorf("%s: not as it was sent (-sent +got):\n%s", tt.uri, d)
		}
		if uri != tt.uri {
			t.Errorf("it asked %s, want %s", uri, tt.uri)
		}
	}
}

// Programs find a list where there is nothing, whatever the daemon sent and however many rows were asked for.
func TestEmptyListsAreLists(t *testing.T) {
	for _, limit := range []int{0, AllRows} {
		for _, sent := range []string{"{}", `{"jobs":[],"changes":[],"nodes":[],"actions":[]}`} {
			c := newClient(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(sent)) })
			q, errQ := c.Queue(t.Context(), api.QueueQuery{Limit: limit})
			ch, errC := c.Changes(t.Context(), api.ChangeQuery{Limit: limit})
			n, errN := c.Nodes(t.Context(), api.NodeQuery{Limit: limit})
			a, errA := c.Actions(t.Context(), limit, "")
			if err := errors.Join(errQ, errC, errN, errA); err != nil {
				t.Fatal(err)
			}
			if q.Jobs == nil || ch.Changes == nil || n.Nodes == nil || a.Actions == nil {
				t.Errorf("limit %d of %s: %v %v %v %v", limit, sent, q.Jobs, ch.Changes, n.Nodes, a.Actions)
			}
		}
	}
}

func TestAllRowsJoinsPages(t *testing.T) {
	pages := map[string]api.Queue{
		"":   {Jobs: make([]api.QueueJob, 2), Total: 3, Next: "p2"},
		"p2": {Jobs: make([]api.QueueJob, 1), Total: 3},
	}
	var asked []string
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		_ = json.NewEncoder(w).Encode(pages[r.URL.Query().Get("after")])
	})
	for _, tt := range []struct {
		limit, rows int
		next        string
	}{{AllRows, 3, ""}, {2, 2, "p2"}} {
		q, err := c.Queue(t.Context(), api.QueueQuery{Limit: tt.limit})
		if err != nil || len(q.Jobs) != tt.rows || q.Next != tt.next {
			t.Errorf("limit %d: %+v %v", tt.limit, q, err)
		}
	}
	if d := cmp.Diff([]string{"limit=10000", "after=p2&limit=10000", "limit=2"}, asked); d != "" {
		t.Error(d)
	}
}

// A server that always tells of one more page is not asked for ever.
func TestAllRowsEnd(t *testing.T) {
	asked := 0
	c := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_ = json.NewEncoder(w).Encode(api.Changes{Next: fmt.Sprint(asked)})
	})
	_, err := c.Changes(t.Context(), api.ChangeQuery{Limit: AllRows})
	var told *api.Error
	if !errors.As(err, &told) || told.Code != api.CodeTooLarge || asked != maxPages {
		t.Errorf("after %d pages: %v", asked, err)
	}
}

type fakeProver struct{ asked []string }

func (f *fakeProver) Prove(_ context.Context, method, uri, host string, body []byte) (string, error) {
	f.asked = append(f.asked, fmt.Sprint(method, " ", uri, " ", host != "", " ", string(body)))
	return "Munge x", nil
}

func TestEveryRequestIsProvenAnew(t *testing.T) {
	p := &fakeProver{}
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Values("Authorization"); len(got) != 1 || got[0] != "Munge x" {
			t.Errorf("Authorization %q", got)
		}
		fmt.Fprint(w, "{}")
	}, func(cfg *Config) { cfg.Prover = p })
	for range 2 {
		if _, err := c.NewLink(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if d := cmp.Diff([]string{"POST /v1/link true {}", "POST /v1/link true {}"}, p.asked); d != "" {
		t.Error(d)
	}
}

func TestUnixSocketNeedsNoProof(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"user":"ann%s","role":"user","origin":"socket"}`, r.Header.Get("Authorization"))
	})}}
	s.Start()
	defer s.Close()
	c, err := New(Config{URL: "unix://" + path, Prover: &fakeProver{}})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := c.Me(t.Context()); err != nil || v.User != "ann" {
		t.Errorf("%+v %v", v, err)
	}
}

func TestWrongConfigs(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		cfg  Config
		want string
	}{
		{Config{URL: "http://fair.example:9812"}, "write https://"},
		{Config{URL: "http://fair.example:9812", AllowPlainHTTP: true}, "write https://"},
		{Config{URL: "fair.example:9812"}, "must begin with https://"},
		{Config{URL: ""}, "must begin with https://"},
		{Config{URL: "https://"}, "names no host"},
		{Config{URL: "https://h/fairbridge"}, "has a path"},
		{Config{URL: "https://ann:secret@h"}, "more than scheme"},
		{Config{URL: "https://h?a=b"}, "more than scheme"},
		{Config{URL: "unix://run/api.sock"}, "whole path"},
		{Config{URL: "unix:run/api.sock"}, "whole path"},
		{Config{URL: "https://h\x00"}, "cannot be read"},
		{Config{URL: "https://h", CAFile: empty + ".not"}, "no such file"},
		{Config{URL: "https://h", CAFile: empty}, "no certificate in it"},
	} {
		if _, err := New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.cfg, err, tt.want)
		}
	}
}
