package output

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	var out bytes.Buffer
	m := NewProgressBar(&out, 2)
	m.NewUpdater(0, "fifo")(1, 2)
	m.Clear()
	if out.Len() != 0 {
		t.Errorf("what is no terminal got %q", out.String())
	}
	m = NewProgressBar(&out, 2)
	m.terminalWidth = 60
	now := time.Unix(0, 0)
	m.now = func() time.Time { now = now.Add(time.Second); return now }
	m.NewUpdater(0, "fifo")(10, 10)
	m.NewUpdater(1, "tiresias")(5, 10)
	if want := " 75 %  tiresias"; !strings.Contains(out.String(), want) || strings.Contains(out.String(), "\n") {
		t.Errorf("%q has no %q", out.String(), want)
	}
	m.Clear()
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("not wiped: %q", out.String())
	}
	m.terminalWidth = 12
	if got := m.formatLine(); len([]rune(got)) > 11 {
		t.Errorf("%q is too wide for 12", got)
	}
}

// TestProgressWithoutTerminal: nothing of what is short, a line every few seconds of what is
// long, and nothing once it is cleared.
func TestProgressWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	m := NewProgressBar(&out, 4)
	now := m.began
	m.now = func() time.Time { return now }
	m.NewUpdater(0, "fifo")(10, 10)
	if out.Len() != 0 {
		t.Errorf("at once it says %q", out.String())
	}
	for range 12 { // every second
		now = now.Add(time.Second)
		m.NewUpdater(1, "tir\nesias")(6, 10)
	}
	want := " 40 %, 1 of 4 runs ended, 5s so far, about 8s left: tir\\nesias\n 40 %, 1 of 4 runs ended, 10s so far, about 15s left: tir\\nesias\n"
	if out.String() != want {
		t.Errorf("it says\n%q, want\n%q", out.String(), want)
	}
	m.Clear()
	now = now.Add(time.Minute)
	m.NewUpdater(1, "tiresias")(7, 10)
	if out.String() != want {
		t.Errorf("after the end it says %q", out.String()[len(want):])
	}
}
