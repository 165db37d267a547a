package restconn

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestWhatAnUnspecifiedErrorMeans: of a write, before which the job could be read, it is mostly a
// plugin's refusal; of a read it is not.
func TestWhatAnUnspecifiedErrorMeans(t *testing.T) {
	conn := dial(t, say(500, asJSON, errorsOf(-1)), nil)
	if err := Post(t.Context(), conn, "/x", []byte("{}")); err == nil || !strings.Contains(err.Error(), "job_submit plugin refuses") || strings.Contains(err.Error(), "token") {
		t.Errorf("a write: %v", err)
	}
	if _, err := conn.Get(t.Context(), "/x", readJobs); err == nil || strings.Contains(err.Error(), "plugin") || !strings.Contains(err.Error(), "does not accept the token") {
		t.Errorf("a read: %v", err)
	}
}

// TestWhoseTimeWasOver: an answer that does not come within the caller's time is not said to have
// been waited for until slurm.timeout.
func TestWhoseTimeWasOver(t *testing.T) {
	silent := func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	for _, tt := range []struct {
		timeout, left time.Duration
		want          string
	}{
		{100 * time.Millisecond, time.Hour, "no answer from slurmrestd within 100ms"},
		{time.Hour, 100 * time.Millisecond, "in the time that was left for it, less than slurm.timeout (1h0m0s)"},
	} {
		conn := dial(t, silent, func(cfg *Config) { cfg.Timeout = tt.timeout })
		ctx, cancel := context.WithTimeout(t.Context(), tt.left)
		_, err := conn.Get(ctx, "/x", readJobs)
		if cancel(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("GET: %v, want %q", err, tt.want)
		}
		ctx, cancel = context.WithTimeout(t.Context(), tt.left)
		err = Post(ctx, conn, "/x", []byte("{}"))
		if cancel(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("POST: %v, want %q", err, tt.want)
		}
	}
}
