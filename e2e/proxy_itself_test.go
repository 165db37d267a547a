package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ask sends a request and returns its status and its body.
func ask(t *testing.T, method, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(body)
}

// TestProxy: what is not broken passes, what is broken does not, and all is counted.
func TestProxy(t *testing.T) {
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"jobs":[{"job_id":1}],"meta":{"a":1},"nodes":[{"name":"n1"},{"name":"n2"}]}`)
	}))
	t.Cleanup(behind.Close)
	p := startProxy(t, behind.URL)
	want := func(method, path string, status int, part string) {
		t.Helper()
		if is, body := ask(t, method, p.URL+path); is != status || !strings.Contains(body, part) {
			t.Errorf("%s %s: %d %s, want %d and %s", method, path, is, body, status, part)
		}
	}
	want("GET", "/slurm/v1/nodes/", 200, `"n2"`)
	p.Break(faults{CutNodes: true, CutJobs: true})
	want("GET", "/slurm/v1/nodes", 200, `"meta":{"a":1},"nodes":[{"name":"n1"}]`)
	want("GET", "/slurm/v1/jobs/state", 200, `"jobs":[]`)
	want("GET", "/slurm/v1/job/1", 200, `"job_id":1`)
	p.Break(faults{RefuseAfter: 1})
	want("POST", "/slurm/v1/job/7", 200, "")
	want("POST", "/slurm/v1/job/7", 500, "refuses")
	p.Break(faults{RefuseWrites: true})
	want("DELETE", "/slurm/v1/job/8", 500, "refuses")
	if p.Writes() != 3 || p.WritesTo()["7"] != 2 || p.WritesTo()["8"] != 1 || p.Polls() != 2 {
		t.Errorf("%d writes %v, %d polls", p.Writes(), p.WritesTo(), p.Polls())
	}
}
