package output

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"fairbridge/bridge/printable"
)

// ProgressBar shows how far a simulation is: on a terminal as a bar, on anything else, where
// it takes long, as a line from time to time. The bar moves the cursor, so it writes past the
// printable.Writer that all else goes through.
type ProgressBar struct {
	mu            sync.Mutex
	out           io.Writer
	terminalWidth int // of the terminal; 0: it is none
	doneShares    []float64
	currentLabel  string
	lastDrawn     time.Time
	isCleared     bool
	began         time.Time
	lastLine      time.Time // or when it began
	now           func() time.Time
}

// lineInterval is how long it takes to the next line where there is no terminal.
const lineInterval = 5 * time.Second

// NewProgressBar shows the progress of so many parts.
func NewProgressBar(out io.Writer, parts int) *ProgressBar {
	began := time.Now()
	return &ProgressBar{out: unwrap(out), terminalWidth: TerminalWidth(out), doneShares: make([]float64, parts), began: began, lastLine: began, now: time.Now}
}

// NewUpdater returns what tells the meter of one part's progress.
func (m *ProgressBar) NewUpdater(i int, note string) func(done, of int) {
	return func(done, of int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.doneShares[i], m.currentLabel = float64(done)/float64(max(of, 1)), printable.Text(note)
		switch now := m.now(); {
		case m.isCleared:
		case m.terminalWidth > 0 && now.Sub(m.lastDrawn) >= 100*time.Millisecond:
			m.lastDrawn = now
			fmt.Fprint(m.out, "\r", m.formatLine(), "\x1b[K")
		case m.terminalWidth == 0 && now.Sub(m.lastLine) >= lineInterval:
			m.lastLine = now
			fmt.Fprintln(m.out, m.formatPipedLine(now))
		}
	}
}

// formatPipedLine is how far it is where there is no terminal, and about how long it will
// take yet.
func (m *ProgressBar) formatPipedLine(now time.Time) string {
	share, ended := m.doneShare(), 0
	for _, s := range m.doneShares {
		if s >= 1 {
			ended++
		}
	}
	spent := now.Sub(m.began)
	line := fmt.Sprintf("%3.0f %%, %d of %d runs ended, %v so far", 100*share, ended, len(m.doneShares), spent.Round(time.Second))
	if share > 0 {
		line += fmt.Sprintf(", about %v left", time.Duration(float64(spent)*(1-share)/share).Round(time.Second))
	}
	return line + ": " + m.currentLabel
}

// doneShare is how much of all is done.
func (m *ProgressBar) doneShare() float64 {
	share := 0.0
	for _, s := range m.doneShares {
		share += s / float64(len(m.doneShares))
	}
	return share
}

// formatLine is the bar: what runs, and how much of all is done.
func (m *ProgressBar) formatLine() string {
	share := m.doneShare()
	tail := fmt.Sprintf(" %3.0f %%  %s", 100*share, m.currentLabel)
	room := min(m.terminalWidth-len([]rune(tail))-3, 40)
	if room < 5 {
		return printable.Truncate(strings.TrimSpace(tail), max(m.terminalWidth-1, 1))
	}
	full := int(share * float64(room))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + tail
}

// Clear wipes the bar, and ends it.
func (m *ProgressBar) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.lastDrawn.IsZero() {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
	m.isCleared = true
}
