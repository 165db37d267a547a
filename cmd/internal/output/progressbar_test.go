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
