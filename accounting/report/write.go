package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/policy"
)

// WriteCSV writes the table with a line of column names. Times are RFC 3339 in UTC,
// shares 0..1; what is not known is empty. Texts are made harmless to
// spreadsheets and terminals: printable.CSVCell.
func (t *Table) WriteCSV(w io.Writer) error {
	c := printable.NewCSVWriter(w)
	line := make([]any, len(t.Columns))
	for i, name := range t.Columns {
		line[i] = name
	}
	if err := c.WriteRow(line...); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i, v := range row {
			line[i] = cellForPrograms(v)
		}
		if err := c.WriteRow(line...); err != nil {
			return err
		}
	}
	return c.Flush()
}

// cellForPrograms is a value as programs read it.
func cellForPrograms(v any) any {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return printable.CSVNumber(strconv.FormatFloat(v, 'g', -1, 64))
	case time.Time:
		return printable.CSVNumber(v.Format(time.RFC3339))
	}
	return v
}

// MarshalJSON writes a list of objects, their keys in the order of the columns.
func (t *Table) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, row := range t.Rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for j, v := range row {
			if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
				v = nil
			}
			value, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("printing column %s: %w", t.Columns[j], err)
			}
			if j > 0 {
				b.WriteByte(',')
			}
			name, _ := json.Marshal(t.Columns[j]) // of a string it does not fail
			b.Write(append(append(name, ':'), value...))
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// FormatCell prints a value for people; the column's name says its unit. Texts are
// made harmless: printable.Text.
func FormatCell(column string, v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case float64:
		switch {
		case math.IsNaN(v):
			return "–"
		case strings.HasSuffix(column, "share"):
			return fmt.Sprintf("%.1f %%", 100*v)
		case strings.HasSuffix(column, "seconds"):
			return formatSeconds(v)
		case strings.HasSuffix(column, "hours"):
			return formatHoursCell(v)
		case strings.HasSuffix(column, "gpus"):
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strconv.FormatFloat(v, 'f', 2, 64)
	case time.Time:
		return v.Local().Format("2006-01-02 15:04")
	case string:
		return printable.Text(v)
	}
	return fmt.Sprint(v)
}

// formatHoursCell prints hours to a tenth, and little ones so that they do not look like none.
func formatHoursCell(v float64) string {
	digits := 1
	switch a := math.Abs(v); {
	case a == 0 || a >= 0.095:
	case a >= 0.0095:
		digits = 2
	default:
		digits = 3
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// formatSeconds prints seconds, which may be negative, to the second.
func formatSeconds(seconds float64) string {
	if seconds = math.Round(seconds); seconds < 0 {
		return "-" + policy.FormatSeconds(-seconds)
	}
	return policy.FormatSeconds(seconds)
}

// isForPrograms reports whether people are not shown a column: a job's id, where its name in
// squeue stands beside it.
func (t *Table) isForPrograms(column string) bool {
	return column == "job" && t.ColumnIndex("address") >= 0
}

// HeaderTexts names the columns as people read them.
func (t *Table) HeaderTexts() []string {
	var head []string
	for _, c := range t.Columns {
		if t.isForPrograms(c) {
			continue
		}
		head = append(head, headerText(c))
	}
	return head
}

// headerText names a column as people read it.
func headerText(column string) string {
	if column == "address" {
		return "job"
	}
	for _, unit := range []string{"_seconds", "_share"} {
		column = strings.TrimSuffix(column, unit)
	}
	return strings.ReplaceAll(strings.ReplaceAll(column, "gpu_hours", "GPU-h"), "_", " ")
}

// FormatRows returns the rows as people read them.
func (t *Table) FormatRows() [][]string {
	var rows [][]string
	for _, row := range t.Rows {
		cells := make([]string, 0, len(row))
		for i, v := range row {
			if !t.isForPrograms(t.Columns[i]) {
				cells = append(cells, FormatCell(t.Columns[i], v))
			}
		}
		rows = append(rows, cells)
	}
	return rows
}
