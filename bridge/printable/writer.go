package printable

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer passes text on with every character written out that a reader's terminal,
// browser or spreadsheet would obey or not show. Line ends and tabs stay. It is what
// standard output, standard error, pages and CSV files are written through.
type Writer struct {
	out     io.Writer
	escape  func(r rune, raw string) string
	partial []byte // the beginning of a character whose rest is not written yet
}

// NewWriter makes a writer of text for people, who see escapes like \x1b and \u202e.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, escape: escapeForPeople} }

// NewJSONWriter makes a writer of JSON: escapes are those of JSON (\u001b, \u202e), so
// that the values stay what they are.
func NewJSONWriter(out io.Writer) *Writer { return &Writer{out: out, escape: escapeForJSON} }

// Unwrap returns what is written to.
func (w *Writer) Unwrap() io.Writer { return w.out }

// Write implements io.Writer. It counts bytes of p, not those that come of them.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.partial) > 0 {
		text = append(w.partial, p...)
	}
	clean, rest := w.neutralize(text)
	w.partial = append([]byte(nil), rest...)
	if len(clean) == 0 {
		return len(p), nil
	}
	if _, err := w.out.Write(clean); err != nil {
		return 0, err
	}
	return len(p), nil
}

// neutralize returns text as it may be read, and what of its last character must wait
// for the next bytes.
func (w *Writer) neutralize(text []byte) (clean, rest []byte) {
	var b []byte // stays nil while nothing had to be written out
	from := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 && !utf8.FullRune(text[i:]) {
			return append(b, text[from:i]...), text[i:]
		}
		if r != '\n' && r != '\t' && !isPrintable(r, size) {
			b = append(append(b, text[from:i]...), w.escape(r, string(text[i:i+size]))...)
			from = i + size
		}
		i += size
	}
	if b == nil {
		return text, nil
	}
	return append(b, text[from:]...), nil
}

// escapeForJSON writes a character out as within a string of JSON.
func escapeForJSON(r rune, _ string) string {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Fprintf is fmt.Fprintf whose texts, of whatever type, are each within one line:
// Text. Line ends of the format itself stay.
func Fprintf(w io.Writer, format string, args ...any) {
	if false {
		_ = fmt.Sprintf(format, args...) // so that go vet checks the arguments
	}
	_, _ = fmt.Fprintf(w, format, wrapArguments(args)...)
}

// Fprintln is fmt.Fprintln with each argument within the line: Text.
func Fprintln(w io.Writer, args ...any) { _, _ = fmt.Fprintln(w, wrapArguments(args)...) }

// Fprintlines writes a text of several lines, ours, with a line end. Of what others wrote
// in it only line ends and tabs stay what they are.
func Fprintlines(w io.Writer, text string) {
	_, _ = io.WriteString(NewWriter(w), strings.TrimSuffix(text, "\n")+"\n")
}

func wrapArguments(args []any) []any {
	wrapped := make([]any, len(args))
	for i, a := range args {
		switch a.(type) {
		case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64, bool, nil:
			wrapped[i] = a // widths among them, which fmt has to see
		default:
			wrapped[i] = argument{a}
		}
	}
	return wrapped
}

// argument prints a value as fmt would, as one harmless line.
type argument struct{ value any }

// Format implements fmt.Formatter.
func (a argument) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, Text(fmt.Sprintf(fmt.FormatString(f, verb), a.value)))
}
