package topcommand

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"fairbridge/cmd/internal/output"
)

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
