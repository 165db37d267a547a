package journal

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/sql"
)

var qMemo = sql.QueryText("memo")

// Memo implements bridge.History.
func (s *Store) Memo(ctx context.Context, cluster string, p *bridge.Partition) (m bridge.Memo, err error) {
	var text *string
	var n int64
	err = s.DB.QueryRow(ctx, qMemo, cluster, p.Name, p.Policy, value.ValidText(p.Params)).Scan(&text, &n)
	if errors.Is(err, pgx.ErrNoRows) {
		return bridge.Memo{}, nil
	}
	if err != nil {
		return bridge.Memo{}, accounting.WrapError("reading the last cycle", err)
	}
	if text != nil {
		m.Bytes = []byte(*text)
	}
	m.CycleSeq = uint64(n)
	return m, nil
}
