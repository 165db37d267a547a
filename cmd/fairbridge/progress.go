package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progressBar shows on a terminal how far a simulation is. On anything else it is
// silent.
type progressBar struct {
	mu     sync.Mutex
	out    io.Writer
	width  int // of the terminal; 0: it is none
	shares []float64
	note   string
	drawn  time.Time
	now    func() time.Time
}

// newProgressBar shows the progress of so many parts.
func newProgressBar(out io.Writer, parts int) *progressBar {
	return &progressBar{out: out, width: widthOf(out), shares: make([]float64, parts), now: time.Now}
}

// updates returns what tells the meter of one part's progress.
func (m *progressBar) updates(i int, note string) func(done, of int) {
	return func(done, of int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.shares[i], m.note = float64(done)/float64(max(of, 1)), note
		if m.width > 0 && m.now().Sub(m.drawn) >= 100*time.Millisecond {
			m.drawn = m.now()
			fmt.Fprint(m.out, "\r", m.line(), "\x1b[K")
		}
	}
}

// line is the bar: what runs, and how much of all is done.
func (m *progressBar) line() string {
	share := 0.0
	for _, s := range m.shares {
		share += s / float64(len(m.shares))
	}
	tail := fmt.Sprintf(" %3.0f %%  %s", 100*share, m.note)
	room := min(m.width-len([]rune(tail))-3, 40)
	if room < 5 {
		return short(strings.TrimSpace(tail), max(m.width-1, 1))
	}
	full := int(share * float64(room))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "]" + tail
}

// close wipes the bar.
func (m *progressBar) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.drawn.IsZero() {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
	m.width = 0
}
