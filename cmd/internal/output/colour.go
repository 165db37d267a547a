package output

import (
	"fmt"
	"io"
	"os"

	"fairbridge/bridge/printable"
)

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
