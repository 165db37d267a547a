package output

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"fairbridge/bridge/printable"
)

// ProgressBar shows on a terminal how far a simulation is. On anything else it is
// silent. It moves the cursor, so it writes past the printable.Writer that all else
// goes through.
type ProgressBar struct {
	mu            sync.Mutex
	out           io.Writer
	terminalWidth int // of the terminal; 0: it is none
	doneShares    []float64
	currentLabel  string
	lastDrawn     time.Time
	now           func() time.Time
}

// NewProgressBar shows the progress of so many parts.
func NewProgressBar(out io.Writer, parts int) *ProgressBar {
	return &ProgressBar{out: unwrap(out), terminalWidth: TerminalWidth(out), doneShares: make([]float64, parts), now: time.Now}
}

// NewUpdater returns what tells the meter of one part's progress.
func (m *ProgressBar) NewUpdater(i int, note string) func(done, of int) {
	return func(done, of int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.doneShares[i], m.currentLabel = float64(done)/float64(max(of, 1)), printable.Text(note)
		if m.terminalWidth > 0 && m.now().Sub(m.lastDrawn) >= 100*time.Millisecond {
			m.lastDrawn = m.now()
			fmt.Fprint(m.out, "\r", m.formatLine(), "\x1b[K")
		}
	}
}

// formatLine is the bar: what runs, and how much of all is done.
func (m *ProgressBar) formatLine() string {
	share := 0.0
	for _, s := range m.doneShares {
		share += s / float64(len(m.doneShares))
	}
	tail := fmt.Sprintf(" %3.0f %%  %s", 100*share, m.currentLabel)
	room := min(m.terminalWidth-len([]rune(tail))-3, 40)
	if room < 5 {
		return printable.Truncate(strings.TrimSpace(tail), max(m.terminalWidth-1, 1))
	}
	full := int(share * float64(room))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + tail
}

// Clear wipes the bar.
func (m *ProgressBar) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.lastDrawn.IsZero() {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
	m.terminalWidth = 0
}
