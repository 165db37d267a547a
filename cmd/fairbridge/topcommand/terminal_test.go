package topcommand

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

// terminal is a pseudo-terminal whose far end shows what a person would see.
type terminal struct {
	near, far *os.File
	mu        sync.Mutex // of the screen: vt.SafeEmulator does not guard all of it
	screen    *vt.Emulator
	raw       strings.Builder // all that was written to it, guarded by mu as the screen is
	changed   chan struct{}   // it has something to read where the screen changed
}

// patience is how long a test waits at most for what it wants to see: on a busy machine, too.
const patience = time.Minute

func newTerminal(t *testing.T, columns, rows int) *terminal {
	t.Helper()
	far, near, err := pty.Open()
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	x := &terminal{near: near, far: far, screen: vt.NewEmulator(columns, rows), changed: make(chan struct{}, 1)}
	x.resize(t, columns, rows)
	go func() { _, _ = io.Copy(far, x.screen) }() // what a terminal answers to questions
	go x.read()
	t.Cleanup(func() {
		_, _ = near.Close(), far.Close()
		_ = x.screen.InputPipe().(io.Closer).Close() // Close of the emulator races with its reader
	})
	return x
}

// read takes what is written to the terminal to the screen, until it is closed.
func (x *terminal) read() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := x.far.Read(buffer)
		x.mu.Lock()
		x.raw.Write(buffer[:n])
		_, _ = x.screen.Write(buffer[:n])
		x.mu.Unlock()
		select {
		case x.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (x *terminal) resize(t *testing.T, columns, rows int) {
	t.Helper()
	x.mu.Lock()
	x.screen.Resize(columns, rows)
	x.mu.Unlock()
	if err := pty.Setsize(x.far, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	// The kernel tells the terminal's own processes, of which a test is none.
	if err := unix.Kill(os.Getpid(), unix.SIGWINCH); err != nil {
		t.Fatal(err)
	}
}

// press sends keys as a terminal does.
func (x *terminal) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := x.far.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// text is what the screen shows.
func (x *terminal) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

// written is all that was written to the terminal so far, with its control sequences.
func (x *terminal) written() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.raw.String()
}

// waitFor waits until the screen is as wanted.
func (x *terminal) waitFor(t *testing.T, what string, ok func(screen string) bool) {
	t.Helper()
	late := time.After(patience)
	for !ok(x.text()) {
		select {
		case <-x.changed:
		case <-late:
			t.Fatalf("the screen never shows %s:\n%s", what, x.text())
		}
	}
}

func (x *terminal) waitForText(t *testing.T, text string) {
	t.Helper()
	x.waitFor(t, text, func(screen string) bool { return strings.Contains(screen, text) })
}

// clock is time as the test says it is.
type clock struct {
	*asker
	ticks chan time.Time
}

func (c *clock) tick() tea.Cmd { return func() tea.Msg { return clockMsg(<-c.ticks) } }

// A person at a terminal of 80 columns: looks, filters, explains, resizes, loses the daemon, quits.
func TestOnATerminal(t *testing.T) {
	x, f := newTerminal(t, 80, 24), newFakeSource()
	c := &clock{ticks: make(chan time.Time)}
	now := t0
	c.asker = &asker{ctx: t.Context(), source: f, now: func() time.Time { return t0 }}
	m := newModel(c, findView("queue"), t0)
	m.where = "a test"
	done := make(chan error, 1)
	go func() {
		done <- show(m, tea.WithInput(x.near), tea.WithOutput(x.near), tea.WithContext(t.Context()), tea.WithEnvironment([]string{"TERM=xterm-256color", "NO_COLOR=1"}))
	}()
	x.waitForText(t, ">gpu        1     4700")
	x.press(t, "/ann\r")
	x.waitForText(t, "queue (2 of 5) /ann")
	x.press(t, "\x1b[Be") // the arrow down
	x.waitForText(t, `Job 4704 "bob" of bob`)
	x.press(t, "\x1b")
	x.waitForText(t, "queue (2 of 5) /ann")
	x.press(t, ":nodes\r")
	x.waitForText(t, "12 GPUs, 8 given to jobs, 0 free.")
	x.press(t, "?")
	x.waitForText(t, "call up a view: its name")
	x.press(t, "\x1b")
	x.resize(t, 120, 30)
	x.waitFor(t, "the keys in line 30", func(screen string) bool {
		lines := strings.Split(screen, "\n")
		return len(lines) == 30 && strings.HasPrefix(lines[29], "? help")
	})
	f.fail(errors.New("no route to the daemon"))
	for range 6 {
		now = now.Add(time.Second)
		c.ticks <- now
	}
	x.waitForText(t, "STALE, from 12:00:00: not answered since 12:00:0")
	x.waitForText(t, "no route to the daemon")
	x.waitForText(t, ">n1")
	x.press(t, "q")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	x.waitFor(t, "the screen from before", func(screen string) bool { return !strings.Contains(screen, "n1") })
	if raw := x.written(); sequence.MatchString(raw) {
		t.Errorf("with NO_COLOR it colours: %q", raw)
	}
}

// The command itself, with colours where the terminal has them.
func TestCommandOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	x := newTerminal(t, 100, 30)
	c := newTestCommand(newFakeSource(), x.near)
	c.SetArgs([]string{"top", "shares", "--url", "https://ctl:1"})
	done := make(chan error, 1)
	go func() { done <- c.ExecuteContext(t.Context()) }()
	x.waitForText(t, ">phys")
	x.press(t, "\x03")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if raw := x.written(); !strings.Contains(raw, "\x1b[7m") {
		t.Errorf("the chosen row is not marked: %q", raw)
	}
}

func newTestCommand(f *fakeSource, terminal *os.File) *cobra.Command {
	o := &cli.Options{}
	root := &cobra.Command{Use: "fairbridge", SilenceUsage: true, SilenceErrors: true}
	o.AddFlagsTo(root)
	root.AddCommand(newCommand(o, func(context.Context, *cli.Options) (source.Source, error) { return f, nil }))
	root.SetOut(printable.NewWriter(io.Discard))
	if terminal != nil {
		root.SetOut(printable.NewWriter(terminal))
		root.SetIn(terminal)
	}
	return root
}

func TestWrongUsage(t *testing.T) {
	for line, want := range map[string]string{
		"top":                "top needs a terminal",
		"top what":           `there is no view "what"; there are queue, jobs, nodes, shares, idle, changes`,
		"top --interval 0":   "--interval 0: want seconds",
		"top --color some":   "--color some",
		"top jobs and nodes": "one argument too many",
	} {
		c := newTestCommand(newFakeSource(), nil)
		c.SetArgs(strings.Fields(line))
		if err := c.Execute(); err == nil || !cli.IsUsageError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
