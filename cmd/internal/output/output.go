// Package output prints what commands answer: tables, times and counts as people read
// them, or JSON.
package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// WriteJSON prints a value for programs.
func WriteJSON(w io.Writer, v any) error {
	e := newJSONEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("printing JSON: %w", err)
	}
	return nil
}

// WriteJSONLines prints values for programs, one a line.
func WriteJSONLines[T any](w io.Writer, all []T) error {
	e := newJSONEncoder(w)
	for i := range all {
		if err := e.Encode(&all[i]); err != nil {
			return fmt.Errorf("printing JSON: %w", err)
		}
	}
	return nil
}

func newJSONEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(printable.NewJSONWriter(w))
	e.SetEscapeHTML(false)
	return e
}

// FormatAge prints how long ago something was, or "–" when it never was.
func FormatAge(now, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return policy.FormatDuration(now.Sub(t))
}

// FormatTime prints a moment in local time: without the date when it is less than
// half a day away.
func FormatTime(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case now.Sub(t).Abs() < 12*time.Hour:
		return t.Local().Format(time.TimeOnly)
	}
	return t.Local().Format("2006-01-02 15:04")
}

// FormatEdit prints an edit of a job, which goes by its address ("47_3"; "": its id), with its
// times as FormatTime does.
func FormatEdit(e slurm.Edit, address string, now time.Time) string {
	e.Address = address
	if f, _ := e.Kind.Form(); f.HasUntil {
		return fmt.Sprintf("%s job %s until %s", e.Kind, e.Run.TextOf(e.JobLabel()), FormatTime(e.Until, now))
	}
	return e.String()
}

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

// Colour is a colour that every terminal with colours has.
type Colour string

// The colours.
const (
	Plain  Colour = ""
	Bold   Colour = "1"
	Invert Colour = "7" // exchanges foreground and background
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
	Blue   Colour = "34"
)

// Painted is a cell of a table, or a text, with a colour.
type Painted struct {
	Text   string
	Colour Colour
}

// String is the text alone.
func (p Painted) String() string { return p.Text }

// Paint is the text, made harmless, in its colour.
func (p Painted) Paint() string {
	if p.Colour == Plain {
		return printable.Text(p.Text)
	}
	return paint(printable.Text(p.Text), p.Colour)
}

// paint puts a text, which was made harmless, within the sequences that colour it.
func paint(text string, c Colour) string { return "\x1b[" + string(c) + "m" + text + "\x1b[0m" }

// WantsColours reports whether what is written to w is to have colours: always, never, or
// by itself on a terminal that has them, unless the environment has NO_COLOR.
func WantsColours(w io.Writer, mode string) (bool, error) {
	switch mode {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return TerminalWidth(w) > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", nil
	}
	return false, fmt.Errorf("--color %s: it is auto, always or never", printable.Truncate(mode, 40))
}
