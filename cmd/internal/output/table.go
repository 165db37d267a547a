package output

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/sys/unix"

	"fairbridge/bridge/printable"
)

// Table is a table in the plain style of squeue. On a terminal its last column
// is wrapped to what room is left; a pipe gets each row as one line.
type Table struct {
	table.Writer
	out          io.Writer
	Width        int   // of the terminal; 0: no bound
	HasColours   bool  // Painted cells are printed in their colours
	columnWidths []int // width of each column
}

// NewTable makes a table under a heading.
func NewTable(w io.Writer, head ...any) *Table {
	s := &Table{Writer: table.NewWriter(), out: w, Width: TerminalWidth(w), columnWidths: make([]int, len(head))}
	s.measureColumns(head)
	s.AppendHeader(head)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = columnGap
	s.SetStyle(style)
	return s
}

// columnGap is what stands between columns.
const columnGap = "  "

// AddRow appends a row. No text in it, whoever wrote it, can break the row or
// speak to the terminal.
func (s *Table) AddRow(cells ...any) {
	colours := make([]Colour, len(cells))
	for i, c := range cells {
		if p, ok := c.(Painted); ok {
			cells[i], colours[i] = p.Text, p.Colour
		}
		if s := fmt.Sprint(c); printable.Text(s) != s {
			cells[i] = printable.Text(s)
		}
	}
	s.measureColumns(cells)
	for i, c := range cells {
		if s.HasColours && colours[i] != Plain {
			cells[i] = paint(fmt.Sprint(c), colours[i])
		}
	}
	s.AppendRow(cells)
}

func (s *Table) measureColumns(cells []any) {
	for i, c := range cells {
		s.columnWidths[i] = max(s.columnWidths[i], StringWidth(fmt.Sprint(c)))
	}
}

// StringWidth returns how many columns a text takes. Most are ASCII, where it is the number of
// bytes: asking Unicode of ten thousand rows took most of the time of a table.
func StringWidth(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return text.StringWidth(s)
		}
	}
	return len(s)
}

// minLastColumnWidth is the least a last column is wrapped to.
const minLastColumnWidth = 24

// Print writes the table.
func (s *Table) Print() {
	if s.Width > 0 {
		room := s.Width
		for _, w := range s.columnWidths[:len(s.columnWidths)-1] {
			room -= w + len(columnGap)
		}
		s.SetColumnConfigs([]table.ColumnConfig{{
			Number: len(s.columnWidths), WidthMax: max(room, minLastColumnWidth), WidthMaxEnforcer: text.WrapSoft,
		}})
	}
	write := printable.Fprintlines
	if s.HasColours { // every cell was made harmless before it was painted
		write = func(w io.Writer, line string) { writeRaw(w, line+"\n") }
	}
	for line := range strings.Lines(s.Render()) {
		write(s.out, strings.TrimRight(line, " \n"))
	}
}

// WriteParagraph writes a text behind a mark, wrapped to the terminal, with blanks
// where the mark stands in the first line. Text of users in it is made harmless.
func WriteParagraph(w io.Writer, mark, s string) {
	room, s := text.StringWidth(mark), printable.Text(s)
	if width := TerminalWidth(w); width > 0 {
		s = text.WrapSoft(s, max(width-room, minLastColumnWidth))
	}
	for line := range strings.Lines(s) {
		printable.Fprintlines(w, mark+strings.TrimRight(line, " \n"))
		mark = strings.Repeat(" ", room)
	}
}

// TerminalWidth returns the columns of the terminal that w writes to, 0 when it is none.
func TerminalWidth(w io.Writer) int {
	w = unwrap(w)
	if s, ok := w.(interface{ TerminalWidth() int }); ok { // a Screen or a Page
		return s.TerminalWidth()
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// unwrap returns what a writer writes to in the end.
func unwrap(w io.Writer) io.Writer {
	for {
		u, ok := w.(*printable.Writer)
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}
