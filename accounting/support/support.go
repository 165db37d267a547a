// Package support reads from the database what helps to understand a fairbridge from afar. It only
// reads.
package support

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge/harm"
	"fairbridge/sql"
)

// MaxRows is the most rows of one list.
const MaxRows = 20_000

var (
	qCycles, qDecisions = sql.QueryText("support_cycles"), sql.QueryText("support_decisions")
	qLedger             = sql.QueryText("support_ledger")
	qTables, qNames     = sql.QueryText("support_tables"), sql.QueryText("support_names")
)

// Cycles returns the cycles of a cluster since then, newest first, each as JSON.
func Cycles(ctx context.Context, db *accounting.DB, cluster string, since time.Time) ([]json.RawMessage, error) {
	return list(ctx, db, "reading the last cycles", qCycles, cluster, since, MaxRows)
}

// Decisions returns the decisions of a cluster that changed since then, newest first, each as JSON.
func Decisions(ctx context.Context, db *accounting.DB, cluster string, since time.Time) ([]json.RawMessage, error) {
	return list(ctx, db, "reading the last decisions", qDecisions, cluster, since, MaxRows)
}

// Ledger counts the changes since then by partition, kind and state, each line as JSON.
func Ledger(ctx context.Context, db *accounting.DB, cluster string, since time.Time) ([]json.RawMessage, error) {
	return list(ctx, db, "counting changes", qLedger, cluster, since, MaxRows)
}

func list(ctx context.Context, db *accounting.DB, doing, query string, args ...any) ([]json.RawMessage, error) {
	rows, err := accounting.CollectRows(ctx, db, func(row pgx.CollectableRow) (json.RawMessage, error) {
		var text string
		err := row.Scan(&text)
		return json.RawMessage(text), err
	}, query, args...)
	return rows, accounting.WrapError(doing, err)
}

// TableSize is how large a table is.
type TableSize struct {
	Table string `json:"table"`
	Bytes int64  `json:"bytes"` // indexes included
	Rows  int64  `json:"rows"`  // about, as Postgres guesses
}

// TableSizes returns the tables, largest first.
func TableSizes(ctx context.Context, db *accounting.DB) ([]TableSize, error) {
	rows, err := accounting.CollectRows(ctx, db, pgx.RowToStructByPos[TableSize], qTables)
	return rows, accounting.WrapError("measuring tables", err)
}

// Name is what a user, an account, a job, a partition, a QOS or a node is called, or of kind text what an operator said.
type Name struct{ Kind, Name string }

// Names returns the names in the record of a cluster, of runs those that go on or started since then, of what operators
// said what stands or ended since then.
func Names(ctx context.Context, db *accounting.DB, cluster string, since time.Time) ([]Name, error) {
	rows, err := accounting.CollectRows(ctx, db, pgx.RowToStructByPos[Name], qNames, cluster, since, []string{harm.GuardName})
	return rows, accounting.WrapError("reading names", err)
}
