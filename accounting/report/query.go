package report

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"fairbridge/accounting"
)

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
