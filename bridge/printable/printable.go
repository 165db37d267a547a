// Package printable makes text of users (names of jobs, users and accounts, their
// comments) harmless where it is read: on a terminal, in a table, in a
// spreadsheet, on a page. Everything that prints such text goes through it.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns s as one printable line. What a terminal would obey and what
// would break or turn around a line (control characters, escape sequences, line
// ends, marks of direction, bytes that are not UTF-8) is written out as Go does:
// \x1b, \n, \u202e.
func Text(s string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(0x100+uint64(s[0]), 16)[1:])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[size:]
	}
	return b.String()
}

// isPrintable reports whether every character of s may be printed as it is.
func isPrintable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

// formulaStarts are the first characters by which spreadsheets know a formula.
const formulaStarts = "=+-@＝＋－＠"

// CSVCell returns s for a cell of a CSV file: Text, behind an apostrophe where a
// spreadsheet would take it for a formula. Numbers do not need it.
func CSVCell(s string) string {
	s = Text(s)
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune(formulaStarts, first) {
		return "'" + s
	}
	return s
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
