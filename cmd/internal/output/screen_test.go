package output

import (
	"strings"
	"testing"

	"fairbridge/bridge/printable"
)

// Each drawing goes over the one before, however many rows of the terminal that took, and no
// drawing is higher than the terminal.
func TestScreen(t *testing.T) {
	var out strings.Builder
	s := &Screen{out: &out, width: 10, rows: 6}
	draw := func(text string) string {
		out.Reset()
		printable.Fprintlines(printable.NewWriter(s), text)
		s.Draw()
		return out.String()
	}
	for _, c := range []struct{ text, want string }{
		{"a\nb", "a\nb\n"},
		{"0123456789abc\nd", "\x1b[2A\r\x1b[J0123456789abc\nd\n"},
		{"1\n2\n3\n4\n5\n6", "\x1b[3A\r\x1b[J1\n2\n3\n4\n… 2 more lines\n"},
		{"bad \x1b[2J", "\x1b[5A\r\x1b[Jbad \\x1b[2J\n"},
	} {
		if got := draw(c.text); got != c.want {
			t.Errorf("%q is drawn as %q, want %q", c.text, got, c.want)
		}
	}
	if NewScreen(&out) != nil {
		t.Error("what is no terminal is a screen")
	}
}

// Colours are around a cell, which stays harmless and in its column.
func TestColours(t *testing.T) {
	for has, want := range map[bool]string{true: "A         B\n\x1b[31mx\\x1b[2J\x1b[0m  y\\x1bz\n", false: "A         B\nx\\x1b[2J  y\\x1bz\n"} {
		var out strings.Builder
		s := NewTable(printable.NewWriter(&out), "A", "B")
		s.HasColours = has
		s.AddRow(Painted{Text: "x\x1b[2J", Colour: Red}, "y\x1bz")
		s.Print()
		if out.String() != want {
			t.Errorf("colours %v: %q, want %q", has, out.String(), want)
		}
	}
	for mode, want := range map[string]bool{"always": true, "never": false, "auto": false} {
		if got, err := WantsColours(&strings.Builder{}, mode); err != nil || got != want {
			t.Errorf("%s: %v, %v", mode, got, err)
		}
	}
	if _, err := WantsColours(&strings.Builder{}, "mauve"); err == nil {
		t.Error("mauve is a mode")
	}
}
