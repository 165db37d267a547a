package topcommand

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/output"
)

// page is a subject as it is shown: what of it, and which row is chosen.
type page struct {
	*subject
	filter string
	cursor int    // the chosen row, or the first line of a text that is shown
	top    int    // the first row that is shown
	key    string // of the chosen row, by which it is found again in the next answer

	// What the last answer gives: of a list its rows, of a text its lines.
	rows  []row
	total int // rows that there are without the filter
	head  []string
	notes []string

	layout layout // of the rows, for the width of the screen
}

// row is a row of the screen.
type row struct {
	key   string // tells it from the others, and from answer to answer
	about ask.ListRow
	cells []output.Painted // harmless texts
}

// text is what a filter looks at.
func (r *row) text() string {
	parts := make([]string, len(r.cells))
	for i, c := range r.cells {
		parts[i] = c.Text
	}
	return strings.Join(parts, " ")
}

// matches reports whether a row is one that the filter leaves: one that has its text, in any
// case, or after an exclamation mark one that has not.
func (r *row) matches(filter string) bool {
	filter, isNot := strings.CutPrefix(strings.ToLower(filter), "!")
	return filter == "" || strings.Contains(strings.ToLower(r.text()), filter) != isNot
}

// fill makes rows and notes of an answer, for a screen of so many columns.
func (p *page) fill(answer any, c circumstances, columns int) {
	text := output.NewPage(columns)
	if answer != nil || p.read == nil {
		p.text(text, answer, c)
	}
	p.rows, p.head, p.notes = nil, nil, nil
	if p.list == nil {
		for _, line := range text.Lines() {
			p.rows = append(p.rows, row{cells: []output.Painted{{Text: line}}})
		}
	} else if answer != nil {
		list := p.list(answer, c.now)
		p.head, p.rows, p.notes = list.Head, newRows(list), slices.DeleteFunc(text.Lines(), func(s string) bool { return s == "" })
	}
	p.total = len(p.rows)
	p.rows = slices.DeleteFunc(p.rows, func(r row) bool { return !r.matches(p.filter) })
	p.layout = newLayout(p.head, p.rows, p.narrow, columns)
	p.follow()
}

// follow puts the cursor on the row that it was on before.
func (p *page) follow() {
	if p.list != nil && p.key != "" {
		if i := slices.IndexFunc(p.rows, func(r row) bool { return r.key == p.key }); i >= 0 {
			p.cursor = i
		}
	}
	p.moveTo(p.cursor)
}

// moveTo chooses a row.
func (p *page) moveTo(i int) {
	p.cursor = max(min(i, len(p.rows)-1), 0)
	if p.key = ""; p.list != nil && len(p.rows) > 0 {
		p.key = p.rows[p.cursor].key
	}
}

// chosen is the row that keys are about; nil: none.
func (p *page) chosen() *row {
	if p.list == nil || p.cursor >= len(p.rows) {
		return nil
	}
	return &p.rows[p.cursor]
}

// scroll moves what is shown so that the chosen row is among so many.
func (p *page) scroll(room int) {
	if p.list == nil {
		p.cursor = max(min(p.cursor, len(p.rows)-room), 0)
		p.top = p.cursor
		return
	}
	p.top = max(min(p.top, p.cursor, len(p.rows)-room), p.cursor-room+1, 0)
}

func newRows(list ask.List) []row {
	rows := make([]row, 0, len(list.Rows))
	seen := map[string]int{}
	for _, r := range list.Rows {
		out := row{about: r, cells: make([]output.Painted, len(r.Cells))}
		for i, c := range r.Cells {
			painted, isPainted := c.(output.Painted)
			if !isPainted {
				painted.Text = fmt.Sprint(c)
			}
			painted.Text = printable.Text(painted.Text)
			out.cells[i] = painted
		}
		out.key = r.About
		if out.key == "" {
			out.key = out.cells[0].Text
		}
		if seen[out.key]++; seen[out.key] > 1 { // a job may wait in several partitions
			out.key += fmt.Sprintf("#%d", seen[out.key])
		}
		rows = append(rows, out)
	}
	return rows
}

// The gap between columns, and how much a last column has at least before others are left out.
const (
	columnGap     = 2
	minLastColumn = 24
)

// layout says which columns of a list are shown, and how wide each is.
type layout struct {
	columns []int // their places
	widths  []int // of all columns, by place
}

// newLayout fits the columns of rows to a width: the last takes what is left, and where that is
// not enough others are left out, in the order of narrow.
func newLayout(head []string, rows []row, narrow []string, width int) layout {
	t := layout{widths: make([]int, len(head))}
	for i, name := range head {
		t.columns = append(t.columns, i)
		t.widths[i] = output.StringWidth(name)
	}
	for _, r := range rows {
		for i, c := range r.cells[:len(head)] {
			t.widths[i] = max(t.widths[i], output.StringWidth(c.Text))
		}
	}
	if len(t.columns) == 0 {
		return t
	}
	last := len(head) - 1
	need := min(t.widths[last], minLastColumn)
	for _, name := range narrow {
		if t.before()+need+markWidth <= width {
			break
		}
		t.columns = slices.DeleteFunc(t.columns, func(i int) bool { return head[i] == name })
	}
	t.widths[last] = max(width-markWidth-t.before(), 1)
	return t
}

// before is the width of all columns but the last, with gaps.
func (t *layout) before() (sum int) {
	for _, i := range t.columns[:len(t.columns)-1] {
		sum += t.widths[i] + columnGap
	}
	return sum
}

// markWidth is the width of the mark on the left.
const markWidth = 1

// line writes a row behind a mark, with its colours where paint is not nil.
func (t *layout) line(r row, mark string, paint func(string, output.Colour) string) string {
	var b strings.Builder
	b.WriteString(mark)
	for k, i := range t.columns {
		text := ansi.Truncate(r.cells[i].Text, t.widths[i], "…")
		gap := t.widths[i] - output.StringWidth(text) + columnGap
		if paint != nil && r.cells[i].Colour != output.Plain {
			text = paint(text, r.cells[i].Colour)
		}
		b.WriteString(text)
		if k < len(t.columns)-1 {
			b.WriteString(strings.Repeat(" ", gap))
		}
	}
	return b.String()
}

const keyHelp = `Keys
  j k, arrows    next and last row      pgdn pgup     a screen further, back
  g G            first and last row     r             ask now
  /              show only rows with a text, in any case; /!text rows without it
  :              call up a view: its name or the beginning of it, tab completes
                 :explain JOB and :job JOB call up a job, :q ends
  e, enter       explain the job of the row: why it waits, what was decided
  d              details: of a job how it used its GPUs, else all of the row
  esc            end the filter, or go back
  ?              this help              q, ctrl+c     end

`

const wordHelp = `
EARLY, MIDDLE and LATE say in how long from now one in ten, half and nine in ten of
such jobs start. What else columns mean stands in fairbridge queue --help, nodes --help,
shares --help, changes --help and report --help. Nothing here changes anything.
`

// helpPage says what keys do and which views there are.
var helpPage = newFixedText("help", func(w io.Writer) {
	printable.Fprintf(w, keyHelp)
	printable.Fprintln(w, "Views")
	for _, v := range views {
		output.WriteParagraph(w, fmt.Sprintf("  %-28s", strings.Join(append([]string{v.name}, v.aliases...), ", ")), v.about)
	}
	printable.Fprintf(w, wordHelp)
})
