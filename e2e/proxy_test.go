package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// proxy stands between fairbridge and slurmrestd. It counts writes, and may
// refuse them or cut the node list short.
type proxy struct {
	url string

	mu       sync.Mutex
	writes   []string // method and path of each, as they came
	refuse   bool     // writes are answered 500
	after    int      // so are those after so many; 0: none
	cutNodes bool     // the node list has its first node only
	cutJobs  bool     // the job lists are empty
}

// between puts a proxy before the site's slurmrestd; call it before configure.
func (s *site) between() *proxy {
	s.t.Helper()
	target, err := url.Parse(s.slurm.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	p := &proxy{}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ModifyResponse = p.change
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.refused(r) {
			http.Error(w, `{"errors":[{"error":"the proxy refuses"}]}`, http.StatusInternalServerError)
			return
		}
		r.Header.Del("Accept-Encoding")
		forward.ServeHTTP(w, r)
	}))
	s.t.Cleanup(server.Close)
	p.url, s.url = server.URL, server.URL
	return p
}

// set changes what the proxy does.
func (p *proxy) set(change func(*proxy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

// written returns how many writes came so far.
func (p *proxy) written() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.writes)
}

func (p *proxy) refused(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Method == http.MethodGet {
		return false
	}
	p.writes = append(p.writes, r.Method+" "+r.URL.Path)
	return p.refuse || p.after > 0 && len(p.writes) > p.after
}

// change cuts the lists that are to be cut.
func (p *proxy) change(r *http.Response) error {
	p.mu.Lock()
	nodes, jobs := p.cutNodes, p.cutJobs
	p.mu.Unlock()
	path := strings.TrimSuffix(r.Request.URL.Path, "/")
	switch {
	case nodes && strings.HasSuffix(path, "/nodes"):
		return cut(r, "nodes", 1)
	case jobs && (strings.HasSuffix(path, "/jobs") || strings.HasSuffix(path, "/jobs/state")):
		return cut(r, "jobs", 0)
	}
	return nil
}

// cut leaves the first few entries of a list in a reply.
func cut(r *http.Response, list string, keep int) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("reading a reply to be cut: %w", err)
	}
	var doc map[string]json.RawMessage
	var all []json.RawMessage
	if err := json.Unmarshal(body, &doc); err != nil {
		return fmt.Errorf("a reply to be cut: %w", err)
	}
	if err := json.Unmarshal(doc[list], &all); err != nil {
		return fmt.Errorf("a reply to be cut: %w", err)
	}
	short, err := json.Marshal(all[:min(keep, len(all))])
	if err != nil {
		return err
	}
	doc[list] = short
	if body, err = json.Marshal(doc); err != nil {
		return err
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	return nil
}

func TestCutKeepsTheRestOfAReply(t *testing.T) {
	r := &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"meta":{"a":1},"nodes":[{"name":"n1"},{"name":"n2"}]}`))}
	if err := cut(r, "nodes", 1); err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	if string(body) != `{"meta":{"a":1},"nodes":[{"name":"n1"}]}` {
		t.Errorf("got %s", body)
	}
}
