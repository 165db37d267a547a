// Package printable makes text of users (names of jobs, users and accounts, their
// comments, fields of traces, names of files) harmless where it is read: on a
// terminal, in a table, in a spreadsheet, on a page, in a log. A Writer does so with
// all that is written through it; Fprintf keeps each argument within its line, a
// CSVWriter each cell from being a formula, a JSONWriter JSON true and valid.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTextChars is the most characters that Text returns. What is longer has no place
// where people read.
const MaxTextChars = 1000

// maxMarksInARow is the most marks (accents, say) that may stand on one letter; more
// would run over other lines.
const maxMarksInARow = 4

// Text returns s as one printable line of at most MaxTextChars characters. What a
// terminal would obey and what would break, hide or turn around a line (control
// characters, escape sequences, line ends, marks of direction, characters without
// width, bytes that are not UTF-8) is written out as Go does: \x1b, \n, \u202e.
func Text(s string) string {
	if len(s) <= MaxTextChars && isHarmless(s) {
		return s
	}
	var b strings.Builder
	marks := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if isPrintable(r, size) && marks <= maxMarksInARow {
			b.WriteString(s[:size])
		} else {
			b.WriteString(escapeForPeople(r, s[:size]))
		}
		s = s[size:]
	}
	return cutText(b.String())
}

// cutText bounds a text and says how much it lacks.
func cutText(s string) string {
	if len(s) <= MaxTextChars {
		return s
	}
	r := []rune(s)
	if len(r) <= MaxTextChars {
		return s
	}
	const roomForNote = 40
	kept := MaxTextChars - roomForNote
	return string(r[:kept]) + fmt.Sprintf("… (%d characters more)", len(r)-kept)
}

// isHarmless reports whether every character of s may be printed as it is.
func isHarmless(s string) bool {
	marks := 0
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if !isPrintable(r, size) || marks > maxMarksInARow {
			return false
		}
	}
	return true
}

// isPrintable reports whether a character, of so many bytes, can be seen for what it is.
func isPrintable(r rune, size int) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= ' ' && r <= '~'
	case r == utf8.RuneError && size == 1, r == brailleBlank, r >= firstHiddenVariation:
		return false
	}
	return strconv.IsPrint(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// Characters that Unicode calls printable and that show nothing.
const (
	brailleBlank         = '\u2800'
	firstHiddenVariation = '\U000E0000' // the plane of tags and variation selectors
)

// escapeForPeople writes a character out as Go does; raw are its bytes.
func escapeForPeople(r rune, raw string) string {
	if r == utf8.RuneError && len(raw) == 1 {
		return `\x` + strconv.FormatUint(0x100+uint64(raw[0]), 16)[1:]
	}
	quoted := strconv.QuoteRuneToASCII(r)
	return quoted[1 : len(quoted)-1]
}

// Truncate returns s cut to at most so many characters, the last of them an ellipsis
// where something was cut off.
func Truncate(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// ShellWord makes one word of a shell of any text.
func ShellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
