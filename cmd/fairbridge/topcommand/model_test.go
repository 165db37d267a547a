package topcommand

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/ask"
)

// shows wants the screen to show texts.
func (s *screen) shows(t *testing.T, want ...string) string {
	t.Helper()
	text := s.View().Content
	plain := strings.Join(strings.Fields(text), " ")
	for _, w := range want {
		if !strings.Contains(plain, w) {
			t.Errorf("it lacks %q:\n%s", w, text)
		}
	}
	return text
}

// Each view is called up by its name, and shows what its command prints, under the same heads.
func TestViews(t *testing.T) {
	s := newScreen(newFakeSource(), "queue")
	s.Update(tea.WindowSizeMsg{Width: 200, Height: 30})
	s.shows(t, "queue (5) · a test", strings.ToUpper(strings.Join(ask.QueueColumnNames(), " ")), ">gpu 1 4700 bob phys 8 PENDING wait 1h waits as 1th: 8 GPUs of a100", "Partition gpu as of 11:59:55, 5s ago.")
	for name, want := range map[string]string{
		"jobs":    "jobs (2) · a test",
		"nodes":   ">n1 gpu 8 a100 8 0 25 % – 4701 (bob, 8)",
		"shares":  ">phys 2 50.0 %",
		"idle":    ">bob 2.5",
		"changes": ">12:00:00 42 4701 bob nice job 4701",
		"gpus":    "12 GPUs, 8 given to jobs, 0 free.",
		"que":     "queue (5)",
		"c":       "changes (1)",
	} {
		s.keys(": " + name + " enter")
		s.answer()
		s.shows(t, want)
	}
	if s.keys(": x enter"); s.message != "There is no view x: ? lists them." {
		t.Errorf("%q", s.message)
	}
	s.keys(": sha tab")
	if s.prompt.text != "shares" {
		t.Errorf("tab makes %q", s.prompt.text)
	}
	s.keys("enter : explain space 4703 enter")
	s.answer()
	s.shows(t, "explain 4703", `Job 4703 "bob" of bob (account phys), partition gpu, 8 GPUs, PENDING`)
	if s.keys(": job space me enter"); !strings.Contains(s.message, `"me" is not a job id`) {
		t.Errorf("%q", s.message)
	}
}

func TestJobsAndDetails(t *testing.T) {
	f := newFakeSource()
	s := newScreen(f, "queue")
	s.keys("j down e")
	s.answer()
	s.shows(t, "explain 4702", "Nothing was changed in Slurm for it.")
	s.keys("esc d")
	s.answer()
	s.shows(t, "job 4702", "Notes")
	s.keys("esc k enter")
	s.answer()
	s.shows(t, "explain 4701")
	s.keys("esc : nodes enter")
	s.answer()
	s.keys("d")
	s.shows(t, "details of nodes n1", "JOBS: 4701 (bob, 8)", "GPU-1 a100 #####--------------- 25 %")
	s.keys("esc e")
	s.shows(t, "This row is about no one job: d shows its details.")
	s.keys(": shares enter")
	s.answer()
	s.keys("enter")
	s.shows(t, "details of shares phys", "phys got less than its due", "USER GOT HOLDS WAITING JOBS bob")
	s.keys("esc : changes enter")
	s.answer()
	s.keys("d")
	s.shows(t, "WHY: its turn is later, bob")
	s.keys("esc esc esc ?")
	text := s.shows(t, "help", "gpus", "what was changed in Slurm in the last day")
	if strings.Contains(text, "%!") {
		t.Errorf("help has a verb:\n%s", text)
	}
	s.keys("esc e")
	s.answer()
	s.shows(t, "explain 4701")
	for _, want := range []string{"queue ", "explain 4702", "job 4702"} {
		if !strings.Contains(strings.Join(f.asked, "\n")+"\n", want+"\n") {
			t.Errorf("it did not ask %s: %q", want, f.asked)
		}
	}
}

func TestFilter(t *testing.T) {
	s := newScreen(newFakeSource(), "queue")
	s.keys("/ANN")
	s.shows(t, "queue (2 of 5) /ANN", "/ANN_") // while it is typed
	s.keys("enter e")
	s.answer()
	s.shows(t, "explain 4701")
	s.keys("esc")
	s.shows(t, "queue (2 of 5)")
	s.keys("/!anx backspace n enter")
	s.shows(t, "queue (3 of 5) /!ann")
	s.keys("/zzz")
	s.shows(t, "queue (0 of 5)")
	s.keys("e d esc") // nothing is chosen; esc takes the filter before
	s.shows(t, "/!ann")
	s.keys("esc")
	s.shows(t, "queue (5)")
	s.keys("/")
	s.Update(tea.PasteMsg{Content: "a\x1b[2Jb"})
	s.Update(tea.PasteMsg{Content: "ann"})
	s.shows(t, "/ann_")
}

// The cursor stays on its job when ranks change, within the rows, and what is chosen is on the screen.
func TestCursor(t *testing.T) {
	f := newFakeSource()
	f.wide = 100
	s := newScreen(f, "queue")
	s.keys("G")
	if got := s.shown().chosen().key; got != "4799" {
		t.Errorf("G goes to %s", got)
	}
	s.shows(t, ">gpu 100")
	s.keys("k g pgdown j")
	key := s.shown().chosen().key
	s.shown().fill(&api.Queue{Jobs: []api.QueueJob{{Address: "1"}, {Address: key}, {Address: "2"}}}, s.circumstances, 80)
	if got := s.shown().chosen().key; got != key || s.shown().cursor != 1 {
		t.Errorf("the cursor is on %s, want %s", got, key)
	}
	s.shown().fill(&api.Queue{Jobs: []api.QueueJob{{Address: "1"}}}, s.circumstances, 80)
	if got := s.shown().chosen().key; got != "1" {
		t.Errorf("the cursor is on %s", got)
	}
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 6})
	s.keys("? j j")
	if got := s.shown().top; got != 2 {
		t.Errorf("the help begins at line %d", got)
	}
}

// A daemon that fails or does not answer leaves the last picture, and since when it is stale.
func TestStale(t *testing.T) {
	f := newFakeSource()
	s := newScreen(f, "queue")
	s.pass(4 * time.Second)
	if len(s.pending) != 0 {
		t.Error("it asks before its time")
	}
	s.pass(2 * time.Second)
	if len(s.pending) != 1 {
		t.Fatalf("it asks %d times", len(s.pending))
	}
	s.pass(60 * time.Second)
	if len(s.pending) != 1 {
		t.Errorf("it asks %d times while one is under way", len(s.pending))
	}
	s.shows(t, "STALE, from 12:00:00: not answered since 12:00:05, 1m01s: no answer yet", ">1 4700", "answered 1m06s ago")
	f.fail(errors.New("the daemon is out of reach\x1b[2J"))
	s.answer()
	s.pass(10 * time.Second)
	s.answer()
	s.shows(t, `STALE, from 12:00:00: not answered since 12:00:05, 1m11s: the daemon is out of reach\x1b[2J`, ">1 4700")
	f.fail(nil)
	s.pass(5 * time.Second)
	s.answer()
	if text := s.shows(t, "answered 0s ago"); strings.Contains(text, "STALE") {
		t.Errorf("it is stale after an answer:\n%s", text)
	}
	s = newScreen(f, "queue")
	f.fail(errors.New("gone"))
	s.keys("r")
	s.answer()
	s.shows(t, "STALE, from 12:00:00", "gone")
	s.keys(": shares enter")
	s.answer()
	s.shows(t, "Not known: not answered since 12:00:00, 0s: gone")
}

func TestQuit(t *testing.T) {
	for _, line := range []string{"q", "ctrl+c", ": q enter", ": quit enter", "/a ctrl+c", "? q"} {
		if s := newScreen(newFakeSource(), "queue"); !quits(s.keys(line)) {
			t.Errorf("%s does not end it", line)
		}
	}
	s := newScreen(newFakeSource(), "queue")
	if quits(s.keys("/q")) || s.prompt.text != "q" {
		t.Error("q in a filter ends it")
	}
}

func quits(c tea.Cmd) bool {
	if c == nil {
		return false
	}
	_, isQuit := c().(tea.QuitMsg)
	return isQuit
}

// No line is wider than the screen, nor are there more than it has, whatever its size.
func TestSizes(t *testing.T) {
	f := newFakeSource()
	f.wide = 60
	for _, v := range views {
		s := newScreen(f, v.name)
		for _, size := range [][2]int{{80, 24}, {79, 24}, {120, 40}, {200, 60}, {40, 8}, {1, 1}, {10, 3}} {
			s.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			lines := strings.Split(s.View().Content, "\n")
			if len(lines) > size[1] {
				t.Errorf("%s at %v has %d lines", v.name, size, len(lines))
			}
			for _, l := range lines {
				if n := ansi.StringWidth(l); n > size[0] {
					t.Errorf("%s at %v has a line of %d: %s", v.name, size, n, l)
				}
			}
		}
	}
	s := newScreen(f, "queue")
	text := s.shows(t, "RANK JOB USER GPUS STATE VERB AGE WHY", "waits as 1th: 8 GPUs") // at 80 columns why has room
	if strings.Contains(text, "its rank") || !strings.Contains(text, "…") {
		t.Errorf("at 80 columns:\n%s", text)
	}
}

var sequence = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Colours are there where they are wanted, and no other sequence is, whatever jobs are called.
func TestHostileNames(t *testing.T) {
	f := newFakeSource()
	f.name = "=cmd|'/c calc'!A1\x1b[2J\x1b]0;owned\a\nFORGED 99\r\t\u009b31m\u202e\u200b\u2028\x7f\xff%s%n"
	for _, hasColours := range []bool{false, true} {
		for _, v := range views {
			for _, keys := range []string{"", "e", "d", "/FORGED"} {
				s := newScreen(f, v.name)
				s.hasColours = hasColours
				s.Update(tea.WindowSizeMsg{Width: 400, Height: 50})
				s.keys(keys)
				s.answer()
				text := s.View().Content
				if hasColours != sequence.MatchString(text) {
					t.Errorf("%s: colours %v in\n%q", v.name, hasColours, text)
				}
				for _, r := range sequence.ReplaceAllString(text, "") {
					if r != '\n' && printable.Text(string(r)) != string(r) {
						t.Fatalf("%s %s shows %q in\n%q", v.name, keys, r, text)
					}
				}
				if regexp.MustCompile(`(?m)^\s*FORGED`).MatchString(text) {
					t.Errorf("%s %s has a forged line:\n%s", v.name, keys, text)
				}
			}
		}
	}
	f.fail(errors.New(f.name))
	s := newScreen(f, "queue")
	if text := s.shows(t, "Not known"); strings.ContainsAny(text, "\x1b\a") {
		t.Errorf("an error speaks to the terminal: %q", text)
	}
}

func TestStrangeMessages(t *testing.T) {
	s := newScreen(newFakeSource(), "queue")
	before := s.View().Content
	for _, msg := range []tea.Msg{nil, 5, tea.MouseClickMsg{}, tea.KeyReleaseMsg{Code: 'q'}, tea.BlurMsg{}} {
		if _, c := s.Update(msg); c != nil || s.View().Content != before {
			t.Errorf("%T changes the screen", msg)
		}
	}
}
