package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"fairbridge/accounting"
	"fairbridge/sql"
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

// TableQuerier runs a query that only reads. A cell is a string, int64, float64, bool,
// time.Time or nil.
type TableQuerier interface {
	QueryTable(ctx context.Context, query string, args ...any) (columns []string, rows [][]any, err error)
}

// Scope is what a report is about. Reports by day take whole days (UTC): the
// one Since is in and the one Until is in.
type Scope struct {
	Cluster      string
	Since, Until time.Time
	Account      string // "": all
	User         string // "": all
}

// Table is an answer.
type Table struct {
	Columns []string
	Rows    [][]any
}

// RunReport answers a report.
func RunReport(ctx context.Context, db TableQuerier, r Report, s Scope) (*Table, error) {
	columns, rows, err := db.QueryTable(ctx, r.queryText, s.Cluster, s.Since, s.Until, s.Account, s.User)
	if err != nil {
		return nil, fmt.Errorf("report %s: %w", r.Name, err)
	}
	return &Table{columns, rows}, nil
}

// ColumnIndex returns the place of a column, -1 when there is none.
func (t *Table) ColumnIndex(name string) int {
	for i, c := range t.Columns {
		if c == name {
			return i
		}
	}
	return -1
}

// DropColumns leaves columns out, where they are there.
func (t *Table) DropColumns(names ...string) {
	for _, name := range names {
		i := t.ColumnIndex(name)
		if i < 0 {
			continue
		}
		t.Columns = slices.Delete(slices.Clone(t.Columns), i, i+1)
		for k, row := range t.Rows {
			t.Rows[k] = slices.Delete(slices.Clone(row), i, i+1)
		}
	}
}

// CheckScope says why the report cannot be narrowed to the scope; nil when it can.
func (r Report) CheckScope(s Scope) error {
	switch {
	case s.Account != "" && !strings.Contains(r.queryText, "account = $4)"):
		return fmt.Errorf("report %s is about the whole cluster: it takes no --account", r.Name)
	case s.User != "" && !strings.Contains(r.queryText, "user_name = $5)"):
		return fmt.Errorf("report %s does not tell users apart: it takes no --user", r.Name)
	}
	return nil
}

// Answer is a report with its rows.
type Answer struct {
	Report
	Rows *Table `json:"rows"`
}

// String says which cluster and time the scope is about: a sentence.
func (s Scope) String() string {
	const to = "2006-01-02 15:04"
	text := fmt.Sprintf("Cluster %s, %s to %s UTC", s.Cluster, s.Since.UTC().Format(to), s.Until.UTC().Format(to))
	if s.Account != "" {
		text += ", account " + s.Account
	}
	if s.User != "" {
		text += ", user " + s.User
	}
	return text + "."
}

// QueryTable runs a query that only reads and returns its columns and rows. A cell is
// a string, int64, float64, bool, time.Time (UTC) or nil; a date is text such
// as 2026-03-02.
func (s *Store) QueryTable(ctx context.Context, query string, args ...any) (columns []string, cells [][]any, err error) {
	err = pgx.BeginTxFunc(ctx, s.DB.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local jit = off"); err != nil { // it costs more than it gains here
			return err
		}
		rows, err := tx.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		fields := rows.FieldDescriptions()
		for _, f := range fields {
			columns = append(columns, f.Name)
		}
		cells, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) ([]any, error) {
			row, err := r.Values()
			for i := range row {
				row[i] = toPlainValue(row[i], fields[i].DataTypeOID)
			}
			return row, err
		})
		return err
	})
	return columns, cells, accounting.WrapError("asking the database", err)
}

// toPlainValue returns a value as one of the few types that QueryTable promises.
func toPlainValue(v any, oid uint32) any {
	switch v := v.(type) {
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case float32:
		return float64(v)
	case time.Time:
		if oid == pgtype.DateOID {
			return v.Format(time.DateOnly)
		}
		return v.UTC()
	case pgtype.Numeric:
		f, err := v.Float64Value()
		if err != nil || !f.Valid {
			return nil
		}
		return f.Float64
	}
	return v
}

// UnknownNameError says that no run of the account or user of a scope is recorded.
type UnknownNameError struct {
	Kind, Name string   // "account" or "user", and which
	Known      []string // the first of those with runs, by name
}

// Error implements error.
func (e *UnknownNameError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("no run of %s %q is recorded, nor of any other", e.Kind, e.Name)
	}
	return fmt.Sprintf("no run of %s %q is recorded; there are runs of %s", e.Kind, e.Name, strings.Join(e.Known, ", "))
}

var qNamesOfRuns = sql.QueryText("names_of_runs")

// CheckNames looks whether runs of the scope's account and user are recorded, whenever they
// were. Its error is an *UnknownNameError where they are not.
func CheckNames(ctx context.Context, db TableQuerier, s Scope) error {
	if err := checkName(ctx, db, s.Cluster, "account", s.Account); err != nil {
		return err
	}
	return checkName(ctx, db, s.Cluster, "user", s.User)
}

func checkName(ctx context.Context, db TableQuerier, cluster, kind, name string) error {
	if name == "" {
		return nil
	}
	_, rows, err := db.QueryTable(ctx, qNamesOfRuns, cluster, kind, name)
	if err != nil {
		return fmt.Errorf("looking up %s %s: %w", kind, name, err)
	}
	unknown := &UnknownNameError{Kind: kind, Name: name}
	for _, row := range rows {
		known := fmt.Sprint(row[0])
		if known == name {
			return nil
		}
		unknown.Known = append(unknown.Known, known)
	}
	return unknown
}
