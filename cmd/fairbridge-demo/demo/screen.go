package demo

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"fairbridge/bridge/printable"
)

// screen prints lines, and below them, on a terminal, a status that is
// replaced by the next one. Elsewhere every tenth second's status is a line. It moves the
// cursor, so it writes past the printable.Writer that all else goes through, and makes
// its texts harmless itself.
type screen struct {
	mu           sync.Mutex
	output       io.Writer
	isTerminal   bool
	status       string
	lastStatusAt time.Time // of a status printed as a line
	partialLine  string    // a line of Write that is not whole yet
}

func newScreen(w io.Writer) *screen {
	if wrapped, ok := w.(*printable.Writer); ok {
		w = wrapped.Unwrap()
	}
	s := &screen{output: w, lastStatusAt: time.Now()}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		s.isTerminal = err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	return s
}

// printf prints a line.
func (s *screen) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printLine(fmt.Sprintf(format, args...))
}

func (s *screen) printLine(text string) {
	if s.isTerminal && s.status != "" {
		fmt.Fprint(s.output, "\r\x1b[K")
	}
	printable.Fprintlines(s.output, text)
	if s.isTerminal && s.status != "" {
		fmt.Fprint(s.output, s.status)
	}
}

// setStatus replaces the status; an empty one takes it away.
func (s *screen) setStatus(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = printable.Text(text)
	switch {
	case s.isTerminal:
		fmt.Fprint(s.output, "\r\x1b[K"+text)
		s.status = text
	case text != "" && time.Since(s.lastStatusAt) >= 10*time.Second:
		printable.Fprintlines(s.output, text)
		s.lastStatusAt = time.Now()
	}
}

// Write prints what an installer says, a line at a time, indented.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(s.partialLine+string(p), "\n")
	for _, l := range lines[:len(lines)-1] {
		s.printLine("  " + l)
	}
	s.partialLine = lines[len(lines)-1]
	return len(p), nil
}
