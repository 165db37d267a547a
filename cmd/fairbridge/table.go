package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/sys/unix"

	"fairbridge/bridge/plain"
)

// sheet is a table in the plain style of squeue. On a terminal its last column
// is wrapped to what room is left; a pipe gets each row as one line.
type sheet struct {
	table.Writer
	out   io.Writer
	width int   // of the terminal; 0: no bound
	cols  []int // width of each column
}

func newTable(w io.Writer, head ...any) *sheet {
	s := &sheet{Writer: table.NewWriter(), out: w, width: widthOf(w), cols: make([]int, len(head))}
	s.measure(head)
	s.AppendHeader(head)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = gap
	s.SetStyle(style)
	return s
}

// gap is what stands between columns.
const gap = "  "

// add appends a row. No text in it, whoever wrote it, can break the row or
// speak to the terminal.
func (s *sheet) add(cells ...any) {
	for i, c := range cells {
		if s := fmt.Sprint(c); plain.Text(s) != s {
			cells[i] = plain.Text(s)
		}
	}
	s.measure(cells)
	s.AppendRow(cells)
}

func (s *sheet) measure(cells []any) {
	for i, c := range cells {
		s.cols[i] = max(s.cols[i], text.StringWidth(fmt.Sprint(c)))
	}
}

// narrowest is the least a last column is wrapped to.
const narrowest = 24

// print writes the table.
func (s *sheet) print() {
	if s.width > 0 {
		room := s.width
		for _, w := range s.cols[:len(s.cols)-1] {
			room -= w + len(gap)
		}
		s.SetColumnConfigs([]table.ColumnConfig{{
			Number: len(s.cols), WidthMax: max(room, narrowest), WidthMaxEnforcer: text.WrapSoft,
		}})
	}
	for line := range strings.Lines(s.Render()) {
		fmt.Fprintln(s.out, strings.TrimRight(line, " \n"))
	}
}

// paragraph writes a text behind a mark, wrapped to the terminal, with blanks
// where the mark stands in the first line. Text of users in it is made harmless.
func paragraph(w io.Writer, mark, s string) {
	room, s := text.StringWidth(mark), plain.Text(s)
	if width := widthOf(w); width > 0 {
		s = text.WrapSoft(s, max(width-room, narrowest))
	}
	for line := range strings.Lines(s) {
		fmt.Fprintln(w, mark+strings.TrimRight(line, " \n"))
		mark = strings.Repeat(" ", room)
	}
}

// widthOf returns the columns of the terminal that w is, 0 when it is none.
func widthOf(w io.Writer) int {
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
