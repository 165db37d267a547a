package throwaway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary run with this variable starts a Slurm in a temporary directory, says where, and waits to be killed.
const holder = "FAIRBRIDGE_SLURM_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holder) != "" {
		hold()
	}
	os.Exit(m.Run())
}

func hold() {
	c, err := StartSlurm(context.Background(), "", Options{NodeCount: 1, GPUsPerNode: 1})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(filepath.Dir(c.TokenFile))
	select {}
}

// skipUnlessPossible skips the test, with the reason, where the throw-away Slurm cannot run.
func skipUnlessPossible(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, ErrUnavailable) && os.Getenv("FAIRBRIDGE_REQUIRE_SLURM") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSlurmRunsAJobAndLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("brings up a Slurm; not with -short")
	}
	begin := time.Now()
	c, err := StartSlurm(t.Context(), "", Options{NodeCount: 2, GPUsPerNode: 4, ExtraConf: "MaxArraySize=77"})
	skipUnlessPossible(t, err)
	t.Cleanup(func() { _ = c.Stop() })
	t.Logf("up after %v", time.Since(begin).Round(time.Millisecond))
	runsGPUJob(t, c)
	obeysShares(t, c)
	takesToken(t, c, "carol")
	if out := c.mustRun(t, "bob", "scontrol", "show", "config"); !strings.Contains(strings.Join(strings.Fields(out), " "), "MaxArraySize = 77") {
		t.Error("the further line of slurm.conf had no effect")
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Errorf("second Stop: %v", err)
	}
	gone(t, filepath.Dir(c.TokenFile))
	for line := range strings.Lines(read(t, "/proc/self/mountinfo")) { // others come and go where other tests run
		if strings.Contains(line, filepath.Base(filepath.Dir(c.TokenFile))) {
			t.Errorf("a mount is left: %s", line)
		}
	}
}

func (c *Cluster) mustRun(t *testing.T, user string, argv ...string) string {
	t.Helper()
	out, err := c.Run(t.Context(), user, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

// runsGPUJob submits, as alice, a job of two GPUs and sees it run on them.
func runsGPUJob(t *testing.T, c *Cluster) {
	t.Helper()
	id := c.mustRun(t, "alice", "sbatch", "--parsable", "--gres=gpu:a100:2", "-t", "5", "--wrap", "sleep 60")
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		line := c.mustRun(t, "alice", "squeue", "-h", "-j", id, "-o", "%u %a %T %b")
		if line == "alice research RUNNING gres:gpu:a100:2" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("squeue says %q of job %s", line, id)
		}
	}
	detail := c.mustRun(t, "root", "scontrol", "-d", "show", "job", id)
	if !strings.Contains(detail, "GRES=gpu:a100:2(IDX:0-1)") {
		t.Errorf("the job has no GPU numbers: %s", detail)
	}
	c.mustRun(t, "alice", "scancel", id)
	if _, err := c.Run(t.Context(), "bob", "sbatch", "--account=research", "--wrap", "true"); err == nil {
		t.Error("bob may use the account of alice")
	}
}

func obeysShares(t *testing.T, c *Cluster) {
	t.Helper()
	out := c.mustRun(t, "root", "sacctmgr", "-nP", "list", "assoc", "user=", "format=account,share")
	for _, want := range []string{"research|2", "teaching|1", "vision|1"} {
		if !strings.Contains(out, want) {
			t.Errorf("shares are %q, want %s among them", out, want)
		}
	}
}

// takesToken asks slurmrestd for the jobs with the token, with a fresh one of a plain user, and with none.
func takesToken(t *testing.T, c *Cluster, user string) {
	t.Helper()
	fresh, err := c.NewToken(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	stored := strings.TrimSpace(read(t, c.TokenFile))
	for _, q := range []struct {
		user, token string
		accepted    bool
	}{{c.TokenUser, stored, true}, {user, fresh, true}, {"fairbridge", "x.y.z", false}} {
		request, err := http.NewRequestWithContext(t.Context(), "GET", c.URL+"/slurm/"+c.APIVersion+"/jobs", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-SLURM-USER-NAME", q.user)
		request.Header.Set("X-SLURM-USER-TOKEN", q.token)
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if (reply.StatusCode == 200) != q.accepted {
			t.Errorf("slurmrestd answered %s to %s", reply.Status, q.user)
		}
	}
	if info, err := os.Stat(c.TokenFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v, %v; want mode 0600", info, err)
	}
}

func TestSlurmDiesWithItsParent(t *testing.T) {
	if testing.Short() {
		t.Skip("brings up a Slurm; not with -short")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holder+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	dir := strings.TrimSpace(line)
	if strings.HasPrefix(line, ErrUnavailable.Error()) {
		skipUnlessPossible(t, fmt.Errorf("%w: %s", ErrUnavailable, line))
	}
	if info, e := os.Stat(dir); err != nil || e != nil || !info.IsDir() {
		t.Fatalf("the holder said %q (%v, %v)", line, err, e)
	}
	first := strings.Fields(read(t, dir+"/pid"))[0]
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, dir)
	if _, err := os.Stat("/proc/" + first); err == nil {
		t.Errorf("process %s, which holds the namespaces, is left", first)
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("brings up a Slurm; not with -short")
	}
	dir := filepath.Join("/tmp", fmt.Sprintf("fairbridge-test-%d", os.Getpid()))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // ends it in the midst of its start
		for ctx.Err() == nil && !exists(dir+"/pid") {
			time.Sleep(20 * time.Millisecond)
		}
		cancel()
	}()
	_, err := StartSlurm(ctx, dir, Options{NodeCount: 1, GPUsPerNode: 1})
	if errors.Is(err, ErrUnavailable) {
		os.RemoveAll(dir)
		skipUnlessPossible(t, err)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("../slurm/down", dir, "--wipe").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	if err == nil {
		t.Fatal("a Slurm is up in spite of its context")
	}
	processesGone(t, dir)
	if !exists(dir + "/var/log") {
		t.Error("the logs of a directory of ours went")
	}
}

func TestForeignDirectoryIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/thesis.tex", []byte("years of work"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := StartSlurm(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v, want a refusal", err)
	}
	if read(t, dir+"/thesis.tex") != "years of work" {
		t.Error("the file changed")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("something was written: %v", entries)
	}
}

func TestEndedContextLeavesNothing(t *testing.T) {
	base := filepath.Join("/tmp", fmt.Sprintf("fairbridge-no-%d", os.Getpid())) // short, or it would not be used
	if err := os.Mkdir(base, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	t.Setenv("TMPDIR", base)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := StartSlurm(ctx, "", Options{}); err == nil || errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want the context's error", err)
	}
	if left, _ := filepath.Glob(base + "/*"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
