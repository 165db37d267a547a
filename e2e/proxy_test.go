package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"
)

// faults are what goes wrong between the two; the zero value is nothing.
type faults struct {
	RefuseWrites bool // writes are answered 500
	RefuseAfter  int  // so are those after so many in all; 0: none
	CutNodes     bool // the node list has its first node only
	CutJobs      bool // the job lists are empty
}

// proxy is a running proxy.
type proxy struct {
	URL string

	mu       sync.Mutex
	faults   faults
	writes   int
	writesTo map[string]int // by job, as the path names it
	polls    int
}

// startProxy serves before the slurmrestd at a URL until the test ends.
func startProxy(t testing.TB, slurmrestd string) *proxy {
	t.Helper()
	target, err := url.Parse(slurmrestd)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{writesTo: map[string]int{}}
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.ModifyResponse = p.change
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.refuses(r) {
			http.Error(w, `{"errors":[{"error":"the proxy refuses"}]}`, http.StatusInternalServerError)
			return
		}
		r.Header.Del("Accept-Encoding")
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// Break changes what goes wrong from now on.
func (p *proxy) Break(f faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
}

// Writes is how many writes came so far, refused ones among them.
func (p *proxy) Writes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// WritesTo is how many of them went to each job.
func (p *proxy) WritesTo() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.writesTo)
}

// Polls is how often all nodes were asked for, which every poll does once.
func (p *proxy) Polls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.polls
}

// refuses counts a request, and reports whether it is refused.
func (p *proxy) refuses(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Method == http.MethodGet {
		if isList(r, "nodes") {
			p.polls++
		}
		return false
	}
	p.writes++
	p.writesTo[path.Base(r.URL.Path)]++
	return p.faults.RefuseWrites || p.faults.RefuseAfter > 0 && p.writes > p.faults.RefuseAfter
}

// isList reports whether a list of that name is asked for.
func isList(r *http.Request, name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/"+name)
}

// change cuts the lists that are to be cut.
func (p *proxy) change(r *http.Response) error {
	p.mu.Lock()
	f := p.faults
	p.mu.Unlock()
	switch {
	case f.CutNodes && isList(r.Request, "nodes"):
		return cut(r, "nodes", 1)
	case f.CutJobs && (isList(r.Request, "jobs") || isList(r.Request, "jobs/state")):
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
