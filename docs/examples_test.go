package docs_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/scripts/throwaway"
	"fairbridge/scripts/throwaway/livetest"
)

// TestResume requeues the example on a real Slurm and wants it to continue
// where it was, once.
func TestResume(t *testing.T) {
	c := livetest.SharedCluster(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // half a minute on an idle machine
	defer cancel()
	job := submit(ctx, t, c, "examples/resume.sbatch", "STEPS=20")
	t.Cleanup(func() { _, _ = c.Run(context.Background(), "root", "scancel", job) })

	said := func() string {
		out, _ := c.Run(ctx, "alice", "sh", "-c", "cat slurm-"+job+".out")
		return out
	}
	await(ctx, t, "its first run", func() bool { return strings.Contains(said(), "begins at step 0") })
	time.Sleep(4 * time.Second)
	if _, err := c.Run(ctx, "root", "scontrol", "requeue", "Incomplete", job); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "its end", func() bool { return strings.Contains(said(), "done at step 20") })
	for what, n := range map[string]int{"begins at": 2, "begins at step 0": 1, "stopped at step": 1, "done at": 1} {
		if got := strings.Count(said(), what); got != n {
			t.Errorf("it says %q %d times, want %d:\n%s", what, got, n, said())
		}
	}
}

// TestResumeHeedsSignals runs the example without Slurm: it saves and goes on when
// it is warned, saves and ends at SIGTERM, and begins again where it was.
func TestResumeHeedsSignals(t *testing.T) {
	dir := t.TempDir()
	first := example(t, dir, "STEPS=1000")
	first.says("run 0 begins at step 0")
	for saved := "0"; saved == "0"; {
		saved = first.answers(syscall.SIGUSR1, "warned, saved at step ")
	}
	stopped := first.answers(syscall.SIGTERM, "stopped at step ")
	if err := first.cmd.Wait(); err != nil || stopped == "0" {
		t.Errorf("at SIGTERM it ends at step %s: %v", stopped, err)
	}
	second := example(t, dir, "STEPS=0", "SLURM_RESTART_COUNT=1")
	second.says("run 1 begins at step " + stopped)
	second.says("done at step ")
	_ = second.cmd.Wait()
}

// script is a run of the example.
type script struct {
	*testing.T
	cmd   *exec.Cmd
	lines chan string // what it says; closed at its end
}

// example starts the example in a folder.
func example(t *testing.T, dir string, env ...string) script {
	t.Helper()
	path, err := filepath.Abs("examples/resume.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	return startScript(t, dir, path, env...)
}

// startScript starts a script in a folder, as job 7.
func startScript(t *testing.T, dir, path string, env ...string) script {
	t.Helper()
	s := script{t, exec.CommandContext(t.Context(), "bash", path), make(chan string, 64)}
	s.cmd.Dir, s.cmd.Env = dir, append(os.Environ(), append(env, "SLURM_JOB_ID=7")...)
	out, w, err := os.Pipe() // not StdoutPipe: Wait closes that, read or not
	if err != nil {
		t.Fatal(err)
	}
	s.cmd.Stdout = w
	err = s.cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer out.Close()
		defer close(s.lines)
		for from := bufio.NewScanner(out); from.Scan(); {
			s.lines <- from.Text()
		}
	}()
	return s
}

// says wants the next line to begin so and returns its rest.
func (s script) says(want string) (rest string) {
	s.Helper()
	line := <-s.lines
	rest, ok := strings.CutPrefix(line, want)
	if !ok {
		s.Fatalf("it says %q, want %q", line, want)
	}
	return rest
}

// answers sends the signal until a line begins so and returns its rest. bash
// loses a signal that comes while it leaves the trap of the same one (here
// about one in 1,500): so again, and answers to earlier ones are passed over.
func (s script) answers(sig syscall.Signal, want string) (rest string) {
	s.Helper()
	for {
		if err := s.cmd.Process.Signal(sig); err != nil {
			s.Fatal(err)
		}
		again := time.After(time.Second)
		for heard := true; heard; {
			select {
			case line, more := <-s.lines:
				if rest, ok := strings.CutPrefix(line, want); ok {
					return rest
				}
				if !more || !strings.HasPrefix(line, "warned, ") {
					s.Fatalf("at %v it says %q, want %q", sig, line, want)
				}
			case <-again:
				heard = false
			}
		}
	}
}

// submit submits a script as alice with some environment and returns the job.
func submit(ctx context.Context, t *testing.T, c *throwaway.Cluster, script string, env ...string) string {
	t.Helper()
	f, err := os.Open(script)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := c.Command(ctx, "alice", append(append([]string{"env"}, env...), "sbatch", "--parsable")...)
	cmd.Stdin = f
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("submitting %s: %v", script, err)
	}
	return strings.TrimSpace(string(out))
}

func await(ctx context.Context, t *testing.T, what string, ok func() bool) {
	t.Helper()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waiting for %s: %v", what, ctx.Err())
		case <-time.After(300 * time.Millisecond):
		}
	}
}
