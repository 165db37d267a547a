package output

import (
	"bytes"
	"strings"

	"fairbridge/bridge/printable"
)

// Page is a text as a terminal of so many columns has it, kept instead of shown. What is
// written to it is made harmless.
type Page struct {
	*printable.Writer
	text    bytes.Buffer
	columns int
}

// TerminalWidth is the number of columns.
func (p *Page) TerminalWidth() int { return p.columns }

// NewPage makes an empty page.
func NewPage(columns int) *Page {
	p := &Page{columns: columns}
	p.Writer = printable.NewWriter(&p.text)
	return p
}

// Lines are the lines of the page, without empty ones at both ends.
func (p *Page) Lines() []string {
	text := strings.Trim(p.text.String(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
