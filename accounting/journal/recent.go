package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/sql"
)

// maxRecentRows is the most rows of one subject that ReadRecent returns.
const maxRecentRows = 20_000

var qRecent = map[string]string{
	"cycles": sql.QueryText("support_cycles"), "decisions": sql.QueryText("support_decisions"),
	"ledger": sql.QueryText("support_ledger"),
}

// ReadRecent returns what happened in a cluster since then, each row as JSON. The subject is "cycles" or "decisions",
// newest first, or "ledger", which counts changes by partition, kind and state.
func (s *Store) ReadRecent(ctx context.Context, subject, cluster string, since time.Time) ([]json.RawMessage, error) {
	rows, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (text json.RawMessage, err error) {
		err = row.Scan((*[]byte)(&text))
		return text, err
	}, qRecent[subject], cluster, since, maxRecentRows)
	return rows, accounting.WrapError(fmt.Sprintf("reading the last %s of cluster %s", subject, cluster), err)
}
