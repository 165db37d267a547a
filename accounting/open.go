package accounting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says where the database is.
type Config struct {
	// DSN is a postgres URL or a key=value connection string. It may hold a
	// password and is never printed.
	DSN string
	// DSNFile names a file that holds the DSN, read once at Open.
	DSNFile string
	// MaxConns is the most connections at once; 0: 6, of which a cycle needs two while others of the daemon work for long.
	MaxConns int32
	// StatementTimeout is the longest that one statement may take, whatever the DSN says; 0: that of the
	// DSN, or 10 s.
	StatementTimeout time.Duration
}

// DB is the database: a pool of connections that knows its schema. It is safe
// for concurrent use.
type DB struct{ *pgxpool.Pool }

// Open prepares connections. It does not wait for the database: that is
// Status, which also says whether the schema fits this binary.
func Open(ctx context.Context, c Config) (*DB, error) {
	pc, err := c.poolConfig()
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, WrapError("opening the database", err)
	}
	return &DB{pool}, nil
}
