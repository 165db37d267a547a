package writer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/gear/bridgetest"
)

// fake is a slurmrestd that serves one API version and one job, and keeps
// what is written to it.
type fake struct {
	mu     sync.Mutex
	writes []string // "POST /path body"
	job    string   // the record GET job/ shows
	answer func(n int, body string) (status int, reply string)
}

const yes = `{"errors":[],"warnings":[]}`

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		fmt.Fprintf(w, `{"errors":[],"jobs":[%s]}`, f.job)
		return
	}
	body, _ := io.ReadAll(r.Body)
	f.writes = append(f.writes, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	status, reply := 200, yes
	if f.answer != nil {
		status, reply = f.answer(len(f.writes), string(body))
	}
	w.WriteHeader(status)
	io.WriteString(w, reply)
}

// open starts the fake and returns a writer to it that may write.
func open(t testing.TB, f *fake, version int, cfg Config) *Writer {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/openapi/v3", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"paths":{"/slurm/v0.0.%d/jobs":{}}}`, version)
	})
	mux.Handle("/", f)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	c, err := rest.Open(t.Context(), rest.Config{URL: srv.URL, TokenFile: bridgetest.NewTokenFile(t, "fairbridge"), Timeout: 5 * time.Second}, rest.PollConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.CheckMayWrite == nil {
		cfg.CheckMayWrite = func(context.Context) error { return nil }
	}
	d := New(c, cfg)
	d.encoder.now = func() time.Time { return noon }
	return d
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const id = "s0N1M7Y39ZNQ00"

func run(job int64) slurm.Run { return slurm.Run{Job: job, Submit: 1795225300, SLUID: id} }

func classOf(err error) slurm.ErrorClass {
	var e *slurm.Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}

// record prints a job record as this version shows it. more is further fields.
func record(version int, state, more string) string {
	n := func(v int64) string {
		if version == 38 {
			return fmt.Sprint(v)
		}
		return fmt.Sprintf(`{"set":true,"infinite":false,"number":%d}`, v)
	}
	st := `"` + state + `"`
	if version > 38 {
		st = "[" + st + "]"
	}
	sluid := ""
	if version >= 44 {
		sluid = `,"step_id":{"sluid":"` + id + `"}`
	}
	return fmt.Sprintf(`{"job_id":7,"name":"j","user_name":"alice","user_id":1001,"account":"a","partition":"gpu","qos":"normal",
		"job_state":%s,"priority":%s,"submit_time":%s,"restart_cnt":0,"node_count":%s,"requeue":true,"batch_flag":true%s%s}`,
		st, n(1000), n(1795225300), n(2), sluid, more)
}
