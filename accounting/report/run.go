package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

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
