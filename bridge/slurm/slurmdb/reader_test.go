package slurmdb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// serve returns a reader of a slurmrestd that serves one version and answers
// requests to slurmdbd with what answer says.
func serve(t *testing.T, version string, answer func(*http.Request) (status int, text string)) *Reader {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/openapi/v3", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"paths": {"/slurm/%s/jobs": {}}}`, version)
	})
	mux.HandleFunc("/slurmdb/"+version+"/", func(w http.ResponseWriter, r *http.Request) {
		status, text := answer(r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("SLURM_JWT", "")
	c, err := rest.Open(t.Context(), rest.Config{URL: s.URL, User: "x", KeyFile: keyFile(t)}, rest.PollConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return New(c, "lab")
}

const oneJob = `{"jobs": [{"job_id": 7, "cluster": "lab", "state": {"current": ["COMPLETED"]}, "nodes": "n1", "time": {"submission": 1, "start": 2, "end": 3}}]}`

func TestQueries(t *testing.T) {
	for version, flags := range map[string]string{"v0.0.38": "", "v0.0.42": "disable_truncate_usage_time=true&", "v0.0.45": "disable_truncate_usage_time=true&"} {
		var asked []string
		r := serve(t, version, func(q *http.Request) (int, string) {
			asked = append(asked, q.URL.RawQuery)
			return 200, oneJob
		})
		jobs, _, err := r.Jobs(t.Context(), time.Unix(100, 0), time.Unix(200, 0))
		want := "cluster=lab&" + flags + "end_time=uts200&show_duplicates=true&skip_steps=true&start_time=uts100"
		if flags == "" {
			want = strings.Replace(want, "show_duplicates=true&", "", 1)
		}
		if err != nil || len(jobs) != 1 || jobs[0].ID != 7 || !cmp.Equal(asked, []string{want}) {
			t.Errorf("%s: %v (%v), asked %v, want %s", version, jobs, err, asked, want)
		}
	}
}

func TestNothingFoundIsNoError(t *testing.T) {
	r := serve(t, "v0.0.38", func(*http.Request) (int, string) {
		return 500, `{"errors": [{"error_number": 9003, "error": "Nothing found", "description": "Nothing found with query", "source": "slurmdb_jobs_get"}]}`
	})
	if jobs, _, err := r.Jobs(t.Context(), time.Unix(100, 0), time.Unix(200, 0)); err != nil || len(jobs) != 0 {
		t.Errorf("%v (%v)", jobs, err)
	}
	if shares, _, err := r.Associations(t.Context()); err != nil || len(shares) != 0 {
		t.Errorf("%v (%v)", shares, err)
	}
}

// TestTooMuchIsHalved: an answer that breaks off, as one does that is larger
// than allowed, is asked for in halves, down to a minute.
func TestTooMuchIsHalved(t *testing.T) {
	var asked []string
	limit := 150
	r := serve(t, "v0.0.45", func(q *http.Request) (int, string) {
		var from, to int
		_, _ = fmt.Sscanf(q.URL.Query().Get("start_time"), "uts%d", &from)
		_, _ = fmt.Sscanf(q.URL.Query().Get("end_time"), "uts%d", &to)
		asked = append(asked, fmt.Sprintf("%d-%d", from, to))
		if to-from > limit {
			return 200, oneJob[:40]
		}
		return 200, oneJob
	})
	jobs, _, err := r.Jobs(t.Context(), time.Unix(0, 0), time.Unix(400, 0))
	if want := []string{"0-400", "0-200", "0-100", "100-200", "200-400", "200-300", "300-400"}; err != nil || len(jobs) != 4 || !cmp.Equal(asked, want) {
		t.Errorf("%d jobs (%v), asked %v", len(jobs), err, asked)
	}
	limit = 0
	var e *slurm.Error
	if _, _, err := r.Jobs(t.Context(), time.Unix(0, 0), time.Unix(400, 0)); !errors.As(err, &e) ||
		e.Class != slurm.ErrorGarbledReply {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.Jobs(ctx, time.Unix(0, 0), time.Unix(100, 0)); err == nil {
		t.Error("called off, and no error")
	}
}

// TestBadRecordIsAskedForOnce: asking for less makes no sense of a record that makes none.
func TestBadRecordIsAskedForOnce(t *testing.T) {
	asked := 0
	r := serve(t, "v0.0.45", func(*http.Request) (int, string) {
		asked++
		return 200, strings.Replace(oneJob, `[{`, `[{"job_id": 6, "time": {"end": "x"}}, {`, 1)
	})
	jobs, bad, err := r.Jobs(t.Context(), time.Unix(0, 0), time.Unix(86400, 0))
	if err != nil || len(jobs) != 1 || jobs[0].ID != 7 || asked != 1 ||
		len(bad) != 1 || !strings.HasPrefix(bad[0].Error(), "job 6: ") {
		t.Errorf("%v, bad %v (%v), asked %d times", jobs, bad, err, asked)
	}
	for _, text := range []string{`{}`, `{"jobs": 7}`, `{"jobs": [NaN]}`} {
		asked = 0
		r := serve(t, "v0.0.45", func(*http.Request) (int, string) {
			asked++
			return 200, text
		})
		if _, _, err := r.Jobs(t.Context(), time.Unix(0, 0), time.Unix(86400, 0)); err == nil || asked != 1 {
			t.Errorf("%s: %v, asked %d times", text, err, asked)
		}
	}
}

func keyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
