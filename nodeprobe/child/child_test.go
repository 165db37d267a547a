package child_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/child"
)

// The child is this test program called again; the file named here says, at
// each question, how it behaves.
const moodEnv = "CHILD_TEST_MOOD"

func TestMain(m *testing.M) {
	path := os.Getenv(moodEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := child.Serve(os.Stdin, os.Stdout, func() nodeprobe.Sample { return behave(path) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func behave(path string) nodeprobe.Sample {
	for {
		mood, _ := os.ReadFile(path)
		switch string(mood) {
		case "hang":
			time.Sleep(5 * time.Millisecond)
			continue
		case "crash":
			_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
			time.Sleep(time.Minute)
		case "exit":
			fmt.Fprintln(os.Stderr, "symbol lookup error: nvmlFoo")
			os.Exit(127)
		case "garbage":
			fmt.Println("this is not JSON")
		case "flood":
			fmt.Print(strings.Repeat("x", 5<<20), "\n")
		case "deaf": // its output ends, it does not
			_ = os.Stdout.Close()
			for !read(path, "well") {
				time.Sleep(5 * time.Millisecond)
			}
		}
		return nodeprobe.Sample{Node: "n1", Driver: nodeprobe.DriverInfo{Version: fmt.Sprint(os.Getpid())}}
	}
}

func read(path, want string) bool {
	mood, _ := os.ReadFile(path)
	return string(mood) == want
}

// rig is a reader, its children's mood, and a clock that stands still.
type rig struct {
	*child.Reader
	t    *testing.T
	path string
	now  time.Time
}

func newRig(t *testing.T, mood string) *rig {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, path: filepath.Join(t.TempDir(), "mood"), now: time.Unix(0, 0)}
	r.Reader = child.New(child.Config{
		Command: func() *exec.Cmd {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), moodEnv+"="+r.path)
			return cmd
		},
		RestartPause: time.Second, MaxRestartPause: 4 * time.Second, Now: func() time.Time { return r.now },
	})
	r.mood(mood)
	t.Cleanup(func() {
		r.mood("well")
		if err := r.Close(5 * time.Second); err != nil {
			t.Error(err)
		}
		eventually(t, "the children end", func() bool { return r.StuckCount() == 0 })
	})
	return r
}

func (r *rig) mood(m string) {
	next := r.path + ".next"
	if err := errors.Join(os.WriteFile(next, []byte(m), 0o644), os.Rename(next, r.path)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) take() (string, error) {
	s, err := r.TakeSample(context.Background())
	return s.Driver.Version, err
}

// waitsFor sets how long the reader waits for an answer.
func (r *rig) waitsFor(d time.Duration) { r.Deadline, r.FirstDeadline = d, d }

// short is how long it waits for one that does not come, and long for one that comes, on a busy machine not soon.
const short, long = 300 * time.Millisecond, time.Minute

func (r *rig) good() string {
	r.t.Helper()
	r.waitsFor(long)
	pid, err := r.take()
	if err != nil {
		r.t.Fatal(err)
	}
	return pid
}

func (r *rig) bad(want string) {
	r.t.Helper()
	if r.waitsFor(long); strings.Contains(want, "within") {
		r.waitsFor(short)
	}
	if _, err := r.take(); err == nil || !strings.Contains(err.Error(), want) {
		r.t.Fatalf("got %v, want an error with %q", err, want)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("never: %s", what)
}

func TestOneChildAnswersManyTimes(t *testing.T) {
	r := newRig(t, "well")
	if a, b := r.good(), r.good(); a != b || a == fmt.Sprint(os.Getpid()) || r.StartCount() != 1 {
		t.Errorf("children %s and %s of %d starts", a, b, r.StartCount())
	}
}

func TestHangingDriver(t *testing.T) {
	r := newRig(t, "well")
	r.good()
	r.mood("hang")
	r.bad("does not answer within")
	r.bad("does not answer within") // a second child: perhaps only the first was sick
	for range 3 {
		r.now = r.now.Add(time.Hour)
		r.bad("2 readers hang in it")
	}
	if r.StartCount() != 2 || r.StuckCount() != 2 {
		t.Fatalf("%d started, %d stuck", r.StartCount(), r.StuckCount())
	}
	r.mood("well")
	eventually(t, "abandoned children end by themselves", func() bool { return r.StuckCount() == 0 })
	r.good() // at once: the driver came back
}

func TestADriverMayTakeLongerToLoad(t *testing.T) {
	r := newRig(t, "hang")
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		time.Sleep(2 * short)
		r.mood("well")
	}()
	r.Deadline, r.FirstDeadline = short, long
	pid, err := r.take()
	if err != nil {
		t.Fatal(err)
	}
	<-loaded
	r.mood("hang")
	r.bad("within 300ms") // not again
	r.mood("well")
	if r.good() == pid {
		t.Error("the abandoned child answers")
	}
}

func TestFailingReaderIsTriedLessAndLess(t *testing.T) {
	for mood, says := range map[string]string{"crash": "SIGSEGV", "exit": "nvmlFoo", "garbage": "garbage", "flood": "ended"} {
		t.Run(mood, func(t *testing.T) {
			r := newRig(t, mood)
			r.bad(says)
			r.bad(says) // the first time at once
			r.bad("failed 2 times in a row")
			for i, pause := range []time.Duration{1, 2, 4, 4} { // seconds
				r.now = r.now.Add(pause*time.Second - time.Millisecond)
				if starts := r.StartCount(); i == 0 && starts != 2 {
					t.Fatalf("%d starts", starts)
				}
				r.bad("in a row")
				r.now = r.now.Add(time.Millisecond)
				r.bad(says)
			}
			r.mood("well")
			r.now = r.now.Add(4 * time.Second)
			r.good()
			if r.StartCount() != 7 {
				t.Errorf("%d starts", r.StartCount())
			}
		})
	}
}

func TestChildThatClosesItsOutputAndStays(t *testing.T) {
	r := newRig(t, "deaf")
	r.bad("has not ended")
	if r.StuckCount() != 1 {
		t.Errorf("%d stuck", r.StuckCount())
	}
}

func TestStoppingDoesNotWaitForADriver(t *testing.T) {
	r := newRig(t, "well")
	r.good()
	r.mood("hang")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.TakeSample(ctx); !errors.Is(err, child.ErrNoAnswer) {
		t.Errorf("got %v", err)
	}
	if err := r.Close(time.Millisecond); err != nil { // the abandoned one is nobody's
		t.Error(err)
	}
}

func TestNoSuchProgram(t *testing.T) {
	r := child.New(child.Config{Command: func() *exec.Cmd { return exec.Command("/nonexistent") }, Deadline: time.Second, Now: time.Now})
	if _, err := r.TakeSample(context.Background()); err == nil || !strings.Contains(err.Error(), "starting") {
		t.Errorf("got %v", err)
	}
}
