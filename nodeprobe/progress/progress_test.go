package progress_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/progress"
)

var known = nodeprobe.KnownValue

// inbox is a running server for which this process is of the owner.
func inbox(t *testing.T, owner nodeprobe.ProcessJob) (path string, d *progress.Inbox) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "p.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	d = progress.NewInbox(time.Now)
	s := progress.Server{Inbox: d, JobOfProcess: func(pid int) nodeprobe.ProcessJob {
		if pid != os.Getpid() {
			t.Errorf("asked about process %d, this is %d", pid, os.Getpid())
		}
		return owner
	}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return path, d
}

var mine = nodeprobe.ProcessJob{Job: 4711, Step: "0", KnownBy: "cgroup"}

func TestReports(t *testing.T) {
	path, d := inbox(t, mine)
	for i := range 3 {
		a, err := progress.SendProgress(t.Context(), path, nodeprobe.Progress{Epoch: known(float64(i)), TotalEpochs: known(90), Loss: known(-0.5)})
		if err != nil || a.JobID != 4711 {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	got := d.NewestReports()
	if len(got) != 1 || got[0].Job != 4711 || got[0].UID != os.Getuid() || got[0].Progress.Epoch != known(2) || got[0].Progress.Step.Known || d.TakenReportCount() != 3 {
		t.Errorf("%+v, %d taken", got, d.TakenReportCount())
	}
	if share := got[0].Progress.ShareDone(); share != known(2.0/90) {
		t.Errorf("done %v", share)
	}
}

func TestWhoIsNotBelieved(t *testing.T) {
	for says, owner := range map[string]nodeprobe.ProcessJob{
		"of no Slurm job": {},
		"nothing else":    {Job: 4711, KnownBy: "environ"}, // another's number, perhaps
	} {
		path, d := inbox(t, owner)
		if _, err := progress.SendProgress(t.Context(), path, nodeprobe.Progress{Epoch: known(1)}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
		if r := d.NewestReports(); len(r) != 0 {
			t.Errorf("kept %+v", r)
		}
	}
}

func TestLines(t *testing.T) {
	for line, says := range map[string]string{
		`{"epoch":3,"epochs":90,"loss":0.4}`: "",
		`{"step":7}`:                         "",
		`{"loss":null,"step":1}`:             "",
		`{}`:                                 "says nothing",
		`{"epoch":null}`:                     "says nothing",
		`{"epoch":91,"epochs":90}`:           "epoch 91 is more than epochs 90",
		`{"step":-1}`:                        "not between 0",
		`{"epoche":1}`:                       "unknown field",
		`{"job":1,"epoch":1}`:                "unknown field",
		`{"epoch":"1"}`:                      "not a report",
		`{"epoch":1}{"epoch":2}`:             "more than one",
		`{"rate":1e300}`:                     "not between",
		`{"rate":1e-320}`:                    "neither 0 nor at least",
		`nonsense`:                           "not a report",
		``:                                   "not a report",
		`{"epoch":1` + strings.Repeat(" ", 5000) + `}`: "",
	} {
		_, err := progress.ParseProgress([]byte(line))
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v, want %q", line, err, says)
		}
	}
}

// talk writes to the socket and returns what comes back until it closes.
func talk(t *testing.T, path, text string) string {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = c.Write([]byte(text))
	_ = c.(*net.UnixConn).CloseWrite()
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := c.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

func TestHostileJobs(t *testing.T) {
	path, d := inbox(t, mine)
	if got := talk(t, path, strings.Repeat("x", 1<<20)); got != "" && !strings.Contains(got, "at most 4096 bytes") {
		t.Errorf("a line without end: %q", got)
	}
	if got := strings.Count(talk(t, path, strings.Repeat(`{"step":1}`+"\n", 500)), "\n"); got > 100 {
		t.Errorf("%d reports over one connection", got)
	}
	var silent []net.Conn // more than are served at once
	for range 40 {
		c, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, c)
	}
	for _, c := range silent {
		_ = c.Close()
	}
	var err error
	for range 100 { // once they are gone, others are heard
		if _, err = progress.SendProgress(t.Context(), path, nodeprobe.Progress{Step: known(5)}); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if r := d.NewestReports(); err != nil || len(r) != 1 || r[0].Progress.Step != known(5) {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestNoProbe(t *testing.T) {
	dir := t.TempDir()
	dead := filepath.Join(dir, "dead")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	for _, path := range []string{filepath.Join(dir, "none"), dead} {
		if _, err := progress.SendProgress(t.Context(), path, nodeprobe.Progress{Step: known(1)}); !errors.Is(err, progress.ErrNoProbe) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := progress.SendProgress(t.Context(), dead, nodeprobe.Progress{}); err == nil || errors.Is(err, progress.ErrNoProbe) {
		t.Errorf("nothing to say: %v", err)
	}
}

func TestInboxForgets(t *testing.T) {
	now := time.Now()
	d := progress.NewInbox(func() time.Time { return now })
	var all sync.WaitGroup
	for i := range 600 {
		all.Go(func() {
			if err := d.TakeReportLine([]byte(`{"step":1}`), nodeprobe.ProcessJob{Job: int64(i + 1)}, 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(d.NewestReports()); n != 512 {
		t.Errorf("%d jobs kept", n)
	}
	now = now.Add(time.Hour)
	if r := d.NewestReports(); r[0].AgeSeconds != 3600 {
		t.Errorf("%v seconds old after an hour", r[0].AgeSeconds)
	}
	now = now.Add(24 * time.Hour)
	if n := len(d.NewestReports()); n != 0 {
		t.Errorf("%d jobs kept for ever", n)
	}
}

func TestReportInJSON(t *testing.T) {
	r := nodeprobe.ProgressReport{ProcessJob: mine, UID: 7, Progress: nodeprobe.Progress{Step: known(0), TotalSteps: known(9)}}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back nodeprobe.ProgressReport
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, back); d != "" || strings.Contains(string(b), "loss") {
		t.Error(fmt.Sprint(d, string(b)))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"epoch":3,"epochs":90,"loss":0.4}`))
	f.Add([]byte(`{"step":1e400}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p, err := progress.ParseProgress(line)
		if share := p.ShareDone(); err == nil && share.Known && !(share.Value >= 0 && share.Value <= 1) {
			t.Errorf("%q: %v done", line, share.Value)
		}
	})
}
