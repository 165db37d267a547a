package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/cmd/fairbridge-demo/workday"

	"fairbridge/accounting"
	"fairbridge/accounting/stores"
)

// TestScriptGoesOnWhereItStopped runs the batch script as Slurm would: told to stop after a second or more of ten minutes, then
// again when all but two seconds are done.
func TestScriptGoesOnWhereItStopped(t *testing.T) {
	home := t.TempDir()
	start := func() *exec.Cmd {
		cmd := exec.Command("bash")
		cmd.Stdin = strings.NewReader(batchScript(&workday.Job{WorkTime: 600 * time.Second}))
		cmd.Env = []string{"HOME=" + home, "SLURM_JOB_ID=7", "PATH=" + os.Getenv("PATH")}
		cmd.WaitDelay = time.Minute
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		return cmd
	}
	begin := time.Now()
	first := start()
	for !isAtWork(first.Process.Pid) { // before that it does not listen to signals
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(1100 * time.Millisecond)
	_ = first.Process.Signal(syscall.SIGTERM)
	if err := first.Wait(); err != nil {
		t.Errorf("stopped, it ends with %v", err)
	}
	path := filepath.Join(home, "saved.7")
	saved, err := os.ReadFile(path)
	n, _ := strconv.Atoi(strings.TrimSpace(string(saved)))
	if most := int(time.Since(begin).Seconds()) + 1; err != nil || n < 1 || n > most {
		t.Fatalf("it saved %q, %v; want 1 to %d", saved, err, most)
	}
	if err := os.WriteFile(path, []byte("598\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	begin = time.Now()
	if err := start().Wait(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 2*time.Second || took > 300*time.Second {
		t.Errorf("the rest took %v, want 2 s", took)
	}
}

// isAtWork reports whether the script's sleep runs.
func isAtWork(pid int) bool {
	for child, argv := range processes() {
		if argv[0] == "sleep" && parent(child) == pid {
			return true
		}
	}
	return false
}

func TestChildEnds(t *testing.T) {
	c, err := startProcess("sleeper", exec.Command("sleep", "60"), os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.checkRunning(); err != nil {
		t.Error(err)
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(c.cmd.Process.Pid, 0); err == nil {
		t.Error("it still runs")
	}
}

func TestChildThatEndsByItselfSaysWhy(t *testing.T) {
	log := filepath.Join(t.TempDir(), "talker.log")
	c, err := startProcess("talker", exec.Command("sh", "-c", "echo no licence >&2; exit 3"), log)
	if err != nil {
		t.Fatal(err)
	}
	<-c.done
	if err := c.checkRunning(); err == nil || !strings.Contains(err.Error(), "talker ended: exit status 3: no licence") {
		t.Errorf("got %v", err)
	}
	if said, err := os.ReadFile(log); err != nil || string(said) != "no licence\n" {
		t.Errorf("its log has %q, %v", said, err)
	}
	if _, err := startProcess("nothing", exec.Command("/nonexistent"), os.DevNull); err == nil {
		t.Error("a program that is not there was started")
	}
}

// TestDayEndsWhenAPartHasExited lets the parts beside a day exit, one after the other.
func TestDayEndsWhenAPartHasExited(t *testing.T) {
	ended, err := startProcess("it", exec.Command("sh", "-c", "echo no memory; exit 3"), os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	<-ended.done
	db, err := stores.Open(t.Context(), accounting.Config{DSN: "host=" + t.TempDir() + " connect_timeout=1"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &demonstration{screen: newScreen(t.Output())}
	for name, c := range map[string]struct {
		w    *monitor
		says string
	}{
		"fairbridge": {&monitor{demonstration: s, daemon: &daemon{process: ended}}, "it ended: exit status 3: no memory"},
		"a probe":    {&monitor{demonstration: s, daemon: &daemon{}, probes: &probes{processes: []*process{ended}}}, "it ended: exit status 3: no memory"},
		"Postgres":   {&monitor{demonstration: s, daemon: &daemon{db: db}}, "asking the database for the last cycle"},
	} {
		if err := c.w.update(t.Context(), &progress{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q in it", name, err, c.says)
		}
	}
}
