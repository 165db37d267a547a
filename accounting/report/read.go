package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// ColumnKind says of which type the values of a column are.
type ColumnKind string

// The kinds.
const (
	ColumnUnknown ColumnKind = "unknown" // no row has a value there
	ColumnText    ColumnKind = "text"
	ColumnInteger ColumnKind = "integer"
	ColumnNumber  ColumnKind = "number"
	ColumnTime    ColumnKind = "time"
	ColumnBool    ColumnKind = "bool"
)

// Column is a column of a table. JSON alone does not tell a whole number from one that
// happens to be whole, nor a time from a text.
type Column struct {
	Name string     `json:"name"`
	Kind ColumnKind `json:"kind"`
}

// ListColumns returns the columns with the kinds of their first values.
func (t *Table) ListColumns() []Column {
	list := make([]Column, len(t.Columns))
	for i, name := range t.Columns {
		list[i] = Column{name, ColumnUnknown}
		for _, row := range t.Rows {
			if row[i] != nil {
				list[i].Kind = kindOfCell(row[i])
				break
			}
		}
	}
	return list
}

func kindOfCell(v any) ColumnKind {
	switch v.(type) {
	case int64:
		return ColumnInteger
	case float64:
		return ColumnNumber
	case time.Time:
		return ColumnTime
	case bool:
		return ColumnBool
	}
	return ColumnText
}

// ReadTable reads what MarshalJSON wrote, given the columns, so that the table is as it was.
func ReadTable(raw []byte, columns []Column) (*Table, error) {
	var objects []map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&objects); err != nil {
		return nil, fmt.Errorf("reading the rows of a report: %w", err)
	}
	t := &Table{}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Name)
	}
	for _, o := range objects {
		row := make([]any, len(columns))
		for i, c := range columns {
			var err error
			if row[i], err = readCell(o[c.Name], c.Kind); err != nil {
				return nil, fmt.Errorf("reading column %s of a report: %w", c.Name, err)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// readCell returns a value of JSON as one of the kind.
func readCell(v any, kind ColumnKind) (any, error) {
	switch v := v.(type) {
	case json.Number:
		if kind == ColumnInteger {
			return v.Int64()
		}
		return v.Float64()
	case string:
		if kind == ColumnTime {
			return time.Parse(time.RFC3339Nano, v)
		}
	}
	return v, nil
}
