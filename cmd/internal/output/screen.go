package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/sys/unix"
)

// Screen draws a text on a terminal again and again, each time over the one before. It
// clears nothing else. What is written to it is kept until Draw.
type Screen struct {
	out   io.Writer
	width int // columns of the terminal
	rows  int // of the terminal
	text  bytes.Buffer
	drawn int // rows that the last text takes
}

// NewScreen returns the screen of the terminal that w writes to, nil when it is none.
func NewScreen(w io.Writer) *Screen {
	f := Terminal(w)
	if f == nil {
		return nil
	}
	return &Screen{out: f}
}

// Terminal returns the terminal that w writes to, nil when it is none.
func Terminal(w io.Writer) *os.File {
	f, ok := unwrap(w).(*os.File)
	if !ok || TerminalWidth(w) == 0 {
		return nil
	}
	return f
}

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) { return s.text.Write(p) }

// TerminalWidth is the number of columns.
func (s *Screen) TerminalWidth() int {
	s.measure()
	return s.width
}

// measure asks how large the terminal is, which may change.
func (s *Screen) measure() {
	f, ok := s.out.(*os.File)
	if !ok {
		return
	}
	if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil {
		s.width, s.rows = int(size.Col), int(size.Row)
	}
}

// Draw shows what was written since the last time, as far as the terminal has room.
func (s *Screen) Draw() {
	s.measure()
	lines, left := strings.Split(strings.TrimSuffix(s.text.String(), "\n"), "\n"), max(s.rows-2, 1)
	s.text.Reset()
	var shown strings.Builder
	rows := 0
	for i, line := range lines {
		need := max((text.StringWidthWithoutEscSequences(line)+s.width-1)/max(s.width, 1), 1)
		if rows+need > left {
			fmt.Fprintf(&shown, "… %d more lines\n", len(lines)-i)
			rows++
			break
		}
		rows += need
		shown.WriteString(line + "\n")
	}
	back := ""
	if s.drawn > 0 {
		back = fmt.Sprintf("\x1b[%dA\r\x1b[J", s.drawn)
	}
	writeRaw(s.out, back+shown.String())
	s.drawn = rows
}

// writeRaw writes text whose parts were made harmless already, with sequences of ours that a
// terminal is to obey.
func writeRaw(w io.Writer, s string) { _, _ = io.WriteString(unwrap(w), s) }
