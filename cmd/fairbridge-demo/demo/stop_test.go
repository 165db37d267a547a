package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/scripts/throwaway/livetest"
	"fairbridge/scripts/verify/part"
)

// processes maps the number of every process to its command line.
func processes() map[int][]string {
	all := map[int][]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		all[pid] = strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	}
	return all
}

func parent(pid int) int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	if len(f) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(f[1])
	return n
}

// directories finds those that a running demonstration uses: named by what it
// started, or by what says that it ends with it.
func directories(demo int) []string {
	all := processes()
	found := map[string]bool{}
	for pid, argv := range all {
		mine := false
		for p := pid; p > 1 && !mine; p = parent(p) {
			mine = p == demo
		}
		line := strings.Join(argv, " ") + " "
		if !mine && !strings.Contains(line, " "+strconv.Itoa(demo)+" ") {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ':' || r == '\'' || r == '"' }) {
			if i := strings.Index(word, "/fairbridge-"); i >= 0 && !strings.Contains(word, "demotest") {
				name, _, _ := strings.Cut(word[i+1:], "/")
				found[word[:i+1]+name] = true
			}
		}
	}
	var out []string
	for d := range found {
		out = append(out, d)
	}
	return out
}

// patience is how long is waited for what comes within seconds where the machine is not busy.
const patience = 5 * time.Minute

// interrupt runs the demonstration until it says a word and a little longer,
// sends it a signal, and wants everything to be gone when it has ended.
func interrupt(t *testing.T, slurm, word string, more time.Duration, sig syscall.Signal, least int) {
	t.Helper()
	o := options(t)
	cmd := exec.Command(o.FairbridgePath+"-demo", "--slurm="+slurm)
	says := &outputTail{}
	cmd.Stdout, cmd.Stderr = says, says
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var dirs []string
	hasSaid := false
	for end := time.Now().Add(patience); !hasSaid || len(dirs) < least; time.Sleep(20 * time.Millisecond) {
		hasSaid = hasSaid || strings.Contains(says.String(), word)
		if dirs = directories(cmd.Process.Pid); time.Now().After(end) {
			_ = cmd.Process.Signal(sig)
			_ = cmd.Wait()
			t.Fatalf("within %v it did not say %q, or uses %v, where the test looks for %d directories:\n%s", patience, word, dirs, least, says)
		}
	}
	time.Sleep(more)
	dirs = directories(cmd.Process.Pid)
	begin := time.Now()
	_ = cmd.Process.Signal(sig)
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v, want exit status 1", err)
	}
	t.Logf("%s: gone after %v, with %v", sig, time.Since(begin).Round(time.Millisecond), dirs)
	if !strings.Contains(says.String(), "interrupted; everything it had started is stopped and removed") {
		t.Errorf("it says:\n%s", says)
	}
	now, _ := os.ReadFile("/proc/self/mountinfo")  // which tells what of a directory is laid over another, too
	for line := range strings.Lines(string(now)) { // others come and go where other tests run
		if slices.ContainsFunc(dirs, func(d string) bool { return strings.Contains(line, filepath.Base(d)) }) {
			t.Errorf("a mount is left: %s", line)
		}
	}
	gone(t, dirs)
}

// gone fails the test for directories that are there or that a process names.
func gone(t *testing.T, dirs []string) {
	t.Helper()
	for _, d := range dirs {
		if _, err := os.Stat(d); !os.IsNotExist(err) {
			t.Errorf("%s is left", d)
		}
		for pid, argv := range processes() {
			if strings.Contains(strings.Join(argv, " "), d) {
				t.Errorf("process %d is left: %q", pid, argv)
			}
		}
	}
}

func TestInterruptedSimulatedDemoLeavesNothing(t *testing.T) {
	part.Long(t, testing.Short())
	options(t) // builds the programs elsewhere
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() { empty(t, os.Getenv("TMPDIR")) })
	t.Run("by Ctrl-C while fairbridge runs", func(t *testing.T) {
		interrupt(t, "sim", "2. The same day", 0, syscall.SIGINT, 1)
	})
	t.Run("by SIGTERM at the start", func(t *testing.T) {
		interrupt(t, "sim", "", 500*time.Millisecond, syscall.SIGTERM, 1)
	})
}

func TestInterruptedRealDemoLeavesNothing(t *testing.T) {
	part.Only(t, "demo")
	livetest.SharedCluster(t) // skips where there is none
	t.Run("while Slurm starts", func(t *testing.T) {
		interrupt(t, "real", "", 3*time.Second, syscall.SIGINT, 2)
	})
	t.Run("while jobs run", func(t *testing.T) {
		interrupt(t, "real", "On two Slurms", 8*time.Second, syscall.SIGTERM, 2)
	})
}
