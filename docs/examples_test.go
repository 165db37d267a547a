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
	c := livetest.Slurm(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
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
	script, err := filepath.Abs("examples/resume.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	start := func(env ...string) (*exec.Cmd, *bufio.Scanner) {
		cmd := exec.CommandContext(t.Context(), "bash", script)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), append(env, "SLURM_JOB_ID=7")...)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		return cmd, bufio.NewScanner(out)
	}
	says := func(from *bufio.Scanner, want string) (rest string) {
		t.Helper()
		rest, ok := "", from.Scan()
		if ok {
			rest, ok = strings.CutPrefix(from.Text(), want)
		}
		if !ok {
			t.Fatalf("it says %q, want %q", from.Text(), want)
		}
		return rest
	}
	send := func(cmd *exec.Cmd, s syscall.Signal) {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	first, out := start("STEPS=1000")
	says(out, "run 0 begins at step 0")
	for saved := "0"; saved == "0"; saved = says(out, "warned, saved at step ") {
		send(first, syscall.SIGUSR1)
	}
	send(first, syscall.SIGTERM)
	stopped := says(out, "stopped at step ")
	if err := first.Wait(); err != nil || stopped == "0" {
		t.Errorf("at SIGTERM it ends at step %s: %v", stopped, err)
	}
	second, out := start("STEPS=0", "SLURM_RESTART_COUNT=1")
	says(out, "run 1 begins at step "+stopped)
	says(out, "done at step ")
	_ = second.Wait()
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
