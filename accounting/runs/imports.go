package runs

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/sql"
)

var qImports, qImportsPut = sql.QueryText("imports"), sql.QueryText("imports_put")

// ImportedThrough returns until when slurmdbd's rows were read without a gap, from
// since on. A zero since means the newest time that was read. Zero: none was.
func (s *Store) ImportedThrough(ctx context.Context, cluster string, since time.Time) (time.Time, error) {
	rows, err := s.DB.Query(ctx, qImports, cluster)
	if err != nil {
		return time.Time{}, accounting.WrapError("reading what was imported", err)
	}
	var out, from, through time.Time
	_, err = pgx.ForEachRow(rows, []any{&from, &through}, func() error {
		if since.IsZero() || !from.After(since) && !through.Before(since) {
			out = through.UTC()
		}
		return nil
	})
	return out, accounting.WrapError("reading what was imported", err)
}
