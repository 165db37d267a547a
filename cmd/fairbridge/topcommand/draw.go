package topcommand

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
)

// maxNotes is how many lines below a list are shown.
const maxNotes = 3

// draw says what the screen shows: lines of at most its width, as many as it has at most.
func (m *model) draw() string {
	p := m.shown()
	lines := []string{m.paint(m.titleText(), output.Bold)}
	body := m.bodyLines(p)
	lines = append(lines, body...)
	for len(lines) < m.height-len(m.footLines()) {
		lines = append(lines, "")
	}
	lines = append(lines, m.footLines()...)
	lines = lines[:min(len(lines), max(m.height, 1))]
	return strings.Join(lines, "\n")
}

// room is how many rows of a page the screen has.
func (m *model) room() int {
	room := m.height - 1 - len(m.footLines())
	if m.shown().list != nil {
		room-- // the head
	}
	return max(room, 1)
}

// bodyLines are the rows of a page that are shown, of a list below its head.
func (m *model) bodyLines(p *page) (lines []string) {
	rows := p.rows[min(p.top, len(p.rows)):]
	rows = rows[:min(len(rows), m.room())]
	if p.list == nil {
		for _, r := range rows {
			lines = append(lines, m.cut(r.cells[0].Text))
		}
		return lines
	}
	if len(p.head) == 0 {
		return nil
	}
	t := &p.layout
	lines = append(lines, m.paint(m.cut(t.line(headRow(p.head), " ", nil)), output.Bold))
	for i, r := range rows {
		if p.top+i == p.cursor { // marked where there are no colours, too
			lines = append(lines, m.paint(m.cut(t.line(r, ">", nil)), output.Invert))
		} else {
			lines = append(lines, m.cut(t.line(r, " ", m.paint)))
		}
	}
	return lines
}

func headRow(names []string) row {
	r := row{cells: make([]output.Painted, len(names))}
	for i, name := range names {
		r.cells[i].Text = printable.Text(name)
	}
	return r
}

// titleText is the first line: what is shown, of when and from where.
func (m *model) titleText() string {
	p := m.shown()
	left := p.name
	if p.list != nil {
		left += fmt.Sprintf(" (%d)", p.total)
		if p.filter != "" {
			left = fmt.Sprintf("%s (%d of %d) /%s", p.name, len(p.rows), p.total, p.filter)
		}
	}
	right := m.now.Local().Format("15:04:05")
	if at := m.pictures.of(p.name).at; !at.IsZero() && p.read != nil {
		right = "answered " + output.FormatAge(m.now, at) + " ago  " + right
	}
	left = printable.Text(left)
	middle := " · " + printable.Text(m.where)
	if ansi.StringWidth(left+middle+right)+2 <= m.width {
		left += middle
	}
	gap := max(m.width-ansi.StringWidth(left)-ansi.StringWidth(right), 1)
	return m.cut(left + strings.Repeat(" ", gap) + right)
}

// footLines are the last lines: what is stale, notes, and keys or what is typed.
func (m *model) footLines() (lines []string) {
	p := m.shown()
	if text := m.pictures.of(p.name).staleText(m.now, m.interval); text != "" && p.read != nil {
		page := output.NewPage(m.width)
		output.WriteParagraph(page, "", text)
		for _, line := range page.Lines()[:min(len(page.Lines()), maxNotes)] {
			lines = append(lines, m.paint(m.cut(line), output.Red))
		}
	}
	if m.height >= 10 {
		for _, n := range p.notes[:min(len(p.notes), maxNotes)] {
			lines = append(lines, m.cut(n))
		}
	}
	return append(lines, m.cut(m.lastLine()))
}

func (m *model) lastLine() string {
	switch {
	case m.prompt.kind != 0:
		return string(m.prompt.kind) + m.prompt.text + "_"
	case m.message != "":
		return printable.Text(m.message)
	}
	return "? help  / filter  : view  e explain  d details  esc back  q quit"
}

// paint gives a line, which is harmless, a colour where there are any.
func (m *model) paint(line string, c output.Colour) string {
	if !m.hasColours {
		return line
	}
	return output.Painted{Text: line, Colour: c}.Paint()
}

// cut bounds a line to the screen.
func (m *model) cut(line string) string { return ansi.Truncate(line, m.width, "…") }
