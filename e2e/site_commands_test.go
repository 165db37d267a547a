package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
	"fairbridge/nodeprobe/progress"
	"fairbridge/scripts/executable"
)

// tryFairbridge runs a command that may fail.
func (s *site) tryFairbridge(args ...string) (string, error) {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := exec.CommandContext(s.t.Context(), path, append([]string{"-c", s.conf}, args...)...).CombinedOutput()
	return string(out), err
}

// initDatabase lays out the schema. On a very busy machine Postgres may not answer in time.
func (s *site) initDatabase() {
	s.t.Helper()
	for range 9 {
		if out, err := s.tryFairbridge("db", "init"); err == nil || !strings.Contains(out, "cannot be reached") {
			break
		}
	}
	s.fairbridge("db", "init")
}

// inCluster is a directory of the throw-away Slurm: below the first path for us, below the second for what runs in it.
func (s *site) inCluster() (here, there string) {
	return filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(s.slurm.Socket))), "var"), "/var/lib/slurm"
}

// probed serves a probe for each of the four nodes, whose GPUs are well, and takes the reports of jobs as a probe does: the
// kernel says which process reports, and its parents whose job it is. It returns the settings with which fairbridge asks
// the probes, and the words with which a job reports. What else is known of the GPUs is filled in by those given.
func (s *site) probed(fill ...func(*nodeprobe.GPU)) (settings, report string) {
	s.t.Helper()
	here, there := s.inCluster()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	s.copyFile(path, filepath.Join(here, "fairbridge"))
	inbox := progress.NewInbox(time.Now)
	server := progress.Server{Inbox: inbox, JobOfProcess: func(pid int) nodeprobe.ProcessJob {
		return owner.JobFinder{ProcDir: "/proc"}.BeginLookup().JobOfProcess(pid)
	}}
	l := s.listen(filepath.Join(here, "progress.sock"))
	go func() { _ = server.Serve(s.t.Context(), l) }()
	for i := range 4 {
		node := fmt.Sprintf("n%d", i+1)
		web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answerSample(w, node, inbox, fill) })}
		l := s.listen(filepath.Join(here, node+".sock"))
		go func() { _ = web.Serve(l) }()
		s.t.Cleanup(func() { _ = web.Close() })
	}
	return fmt.Sprintf(`probes: {url: "unix:%s/{node}.sock", timeout: 5s, max_age: 1m, believe_progress: true}`, here),
		fmt.Sprintf("%s/fairbridge progress --socket %s/progress.sock", there, there)
}

// answerSample answers as the probe of a node of 8 GPUs; the one of n1 has all reports.
func answerSample(w http.ResponseWriter, node string, inbox *progress.Inbox, fill []func(*nodeprobe.GPU)) {
	is := nodeprobe.Sample{Node: node, At: time.Now(), Seq: 1}
	for i := range 8 {
		g := nodeprobe.GPU{Index: i, MinorNumber: i, UUID: fmt.Sprintf("GPU-%s-%d", node, i), Model: "NVIDIA A100"}
		for _, f := range fill {
			f(&g)
		}
		is.GPUs = append(is.GPUs, g)
	}
	if node == "n1" {
		is.ProgressReports = inbox.NewestReports()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(is)
}

// listen listens on a socket that everybody may use, until the test ends.
func (s *site) listen(path string) net.Listener {
	s.t.Helper()
	_ = os.Remove(path)
	l, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o777)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = l.Close() })
	return l
}

func (s *site) copyFile(from, to string) {
	s.t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = executable.Write(to, b)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
