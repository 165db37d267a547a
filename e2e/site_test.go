package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fairbridge/scripts/throwaway"
)

// built is where the program is built, for all tests.
var built string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if built, err = os.MkdirTemp("", "fairbridge-e2e-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(built)
		flag.Parse()
		if err := flag.Set("test.parallel", fmt.Sprint(sitesAtOnce)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// binary is the program, and labBinary the laboratory's, each built once.
var (
	binary    = sync.OnceValues(func() (string, error) { return build("fairbridge") })
	labBinary = sync.OnceValues(func() (string, error) { return build("fairbridge-lab") })
)

func build(program string) (string, error) {
	path := filepath.Join(built, program)
	cmd := exec.Command("go", "build", "-o", path, "fairbridge/cmd/"+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", program, err, out)
	}
	return path, nil
}

// site is a Slurm with fairbridge installed beside it.
type site struct {
	t      *testing.T
	slurm  *throwaway.Cluster
	url    string // of slurmrestd, or of a proxy before it
	dsn    string
	dir    string
	conf   string
	daemon *exec.Cmd
	log    *output
	timed  bool // a timer runs fairbridge expire

	isBorrowed bool // other tests use its Slurm afterwards
}

// clear cancels every job and waits until none is left, not even one that still ends, and no node is out of service. Jobs that wait are
// cancelled first: they would start in place of those that are cancelled, and be killed at their launch.
func (s *site) clear() {
	const most = 5 * time.Minute
	var out string
	flags := "--state=PENDING"
	for looks := most / betweenLooks; looks > 0; looks-- {
		var err error
		if out, err = s.slurm.Run(context.Background(), "root", "squeue", "-h", "-o", "%i %u %T %r %N"); err == nil && strings.TrimSpace(out) == "" {
			s.resumeNodes()
			return
		}
		// In each look: slurmctld may not have heard it.
		_, _ = s.slurm.Run(context.Background(), "root", "sh", "-c", "for user in alice bob carol root; do scancel --user=$user "+flags+"; done")
		if flags != "" {
			flags = ""
			continue
		}
		time.Sleep(betweenLooks)
	}
	s.t.Errorf("the queue does not get empty:\n%s", out)
}

// resumeNodes puts nodes back in service that Slurm took out of it, and says why it did: on a very busy machine a job may fail to
// be launched, and no test is to suffer from another's.
func (s *site) resumeNodes() {
	out, _ := s.slurm.Run(context.Background(), "root", "sinfo", "-h", "-N", "-p", "gpu", "-t", "drain,down", "-o", "%N %T %E")
	for line := range strings.Lines(out) {
		node, why, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.t.Logf("node %s is put back in service, it was %s", node, why)
		_, _ = s.slurm.Run(context.Background(), "root", "scontrol", "update", "nodename="+node, "state=resume")
	}
}

// configure writes a configuration with short times and generous budgets.
func (s *site) configure(mode, policy, params string, more ...string) {
	s.t.Helper()
	s.conf = filepath.Join(s.dir, "fairbridge.yaml")
	requeue := s.slurm.Command(context.Background(), s.slurm.TokenUser, "scontrol").Args
	text := fmt.Sprintf(`
cluster: lab
slurm:
  url: %s
  token_file: %s
  scontrol: [%s]
  rate: 50
database: {dsn_file: %s}
partitions:
  - {name: gpu, mode: %s, policy: %s, params: {%s}}
interval: 2s
warmup: 1
stop_file: %s
journal: %s
listen: ""
gate:
  quantum: 5s
  cooldown: 1s
  gain_factor: 0
  stop_percent: 100
  stop_percent_1h: 1000
  stop_floor: 10
  stop_floor_1h: 100
  job_stops_4h: 10
  job_stops_24h: 20
  user_stops_1h: 100
  lost_percent_24h: 100
  lost_percent_1h: 100
  lease_min: 6s
  skew: 3s
  snapshot_age: 1
%s
`, s.url, s.slurm.TokenFile, quoted(requeue), s.file("dsn", s.dsn), mode, policy, params,
		filepath.Join(s.dir, "STOP"), filepath.Join(s.dir, "journal"), strings.Join(more, "\n"))
	if err := os.WriteFile(s.conf, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.initDatabase()
}

func quoted(argv []string) string {
	q := make([]string, len(argv))
	for i, a := range argv {
		q[i] = fmt.Sprintf("%q", a)
	}
	return strings.Join(q, ", ")
}

func (s *site) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// fairbridge runs a command to its end.
func (s *site) fairbridge(args ...string) string {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := exec.CommandContext(s.t.Context(), path, append([]string{"-c", s.conf}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("fairbridge %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// timer runs fairbridge expire now and every minute until the test ends, as the
// systemd timer does on a site: without it no node is named for any job.
func (s *site) timer() {
	s.t.Helper()
	s.fairbridge("expire")
	if s.timed {
		return
	}
	s.timed = true
	path, _ := binary()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		for tick := time.NewTicker(time.Minute); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				_ = exec.CommandContext(ctx, path, "-c", s.conf, "expire").Run()
			}
		}
	}()
}

// start starts the daemon, with a timer beside it.
func (s *site) start() {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	s.timer()
	s.log = &output{}
	s.daemon = exec.Command(path, "-c", s.conf, "run", "--allow-root")
	s.daemon.Stderr = s.log
	if err := s.daemon.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// kill ends the daemon with a signal and waits for it.
func (s *site) kill(sig syscall.Signal) {
	if s.daemon == nil {
		return
	}
	_ = s.daemon.Process.Signal(sig)
	_ = s.daemon.Wait()
	s.daemon = nil
}

// run runs a command inside the cluster. After its start slurmctld changes no job that slurmdbd has no number for yet, and
// says so: then the command is run again.
func (s *site) run(user string, argv ...string) string {
	s.t.Helper()
	out, err := s.slurm.Run(s.t.Context(), user, argv...)
	for looks := 20; looks > 0 && err != nil && strings.Contains(err.Error(), "try again in a bit"); looks-- {
		time.Sleep(betweenLooks)
		out, err = s.slurm.Run(s.t.Context(), user, argv...)
	}
	if err != nil {
		s.t.Fatalf("%s: %v: %v", user, argv, err)
	}
	return strings.TrimSpace(out)
}

// submit submits a batch script in partition gpu and returns the job's id.
func (s *site) submit(user, script string, flags ...string) string {
	s.t.Helper()
	argv := append([]string{"sbatch", "--parsable", "-p", "gpu", "--mem-per-gpu=100", "-o", "/dev/null"}, flags...)
	return s.run(user, append(argv, "--wrap", script)...)
}

// show returns a job's fields as scontrol shows them.
func (s *site) show(job string) map[string]string {
	s.t.Helper()
	argv := []string{"scontrol", "-o", "show", "job", job}
	out, err := s.slurm.Run(s.t.Context(), "root", argv...)
	if err != nil { // 22.05's may die of a broken pipe before it has printed anything
		out = s.run("root", argv...)
	}
	fields := map[string]string{}
	for _, f := range strings.Fields(out) {
		if k, v, ok := strings.Cut(f, "="); ok {
			fields[k] = v
		}
	}
	return fields
}
