package printable

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// formulaStarts are the first characters by which spreadsheets know a formula.
const formulaStarts = "=+-@＝＋－＠"

// CSVCell returns s for a cell of a CSV file: Text, behind an apostrophe where a
// spreadsheet would take it for a formula, be it behind blanks and quotes, or behind a
// semicolon, at which spreadsheets of many countries part cells. Numbers do not need it.
func CSVCell(s string) string {
	parts := strings.Split(Text(s), ";")
	for i, p := range parts {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(p, ` "`))
		if strings.TrimLeft(p, ` "`) != "" && strings.ContainsRune(formulaStarts, first) {
			parts[i] = "'" + p
		}
	}
	return strings.Join(parts, ";")
}

// CSVWriter writes rows of CSV whose texts no spreadsheet takes for formulas.
type CSVWriter struct{ out *csv.Writer }

// NewCSVWriter makes a writer of CSV.
func NewCSVWriter(w io.Writer) *CSVWriter { return &CSVWriter{csv.NewWriter(NewWriter(w))} }

// CSVNumber is a cell that is written as it is: what the program itself formatted.
type CSVNumber string

// WriteRow writes a row. All but numbers go through CSVCell.
func (w *CSVWriter) WriteRow(cells ...any) error {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
		switch c.(type) {
		case CSVNumber, int, int64:
		default:
			row[i] = CSVCell(row[i])
		}
	}
	if err := w.out.Write(row); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

// Flush writes what is still held back, and says what went wrong with any row.
func (w *CSVWriter) Flush() error {
	w.out.Flush()
	if err := w.out.Error(); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}
