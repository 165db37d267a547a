package accounting

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// maxTries bounds how often a transaction is tried that Postgres rolled back
// because of others.
const maxTries = 3

// tx runs f in one transaction, all or nothing.
func (d *DB) tx(ctx context.Context, doing string, f func(pgx.Tx) error) error {
	var err error
	for range maxTries {
		err = pgx.BeginFunc(ctx, d.pool, f)
		if err == nil || !again(err) {
			break
		}
	}
	return explain(doing, err)
}
