package accounting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says where the database is and how usage is weighed.
type Config struct {
	// DSN is a postgres URL or a key=value connection string. It may hold a
	// password and is never printed.
	DSN string
	// DSNFile names a file that holds the DSN, read once at Open.
	DSNFile string
	// HalfLife is the time after which past usage counts half; 0: 7 days.
	HalfLife time.Duration
	// Conns is the most connections at once; 0: 4.
	Conns int32
}

// DefaultHalfLife is Slurm's own default for PriorityDecayHalfLife.
const DefaultHalfLife = 7 * 24 * time.Hour

// DB is the database. It is safe for concurrent use.
type DB struct {
	pool     *pgxpool.Pool
	halfLife time.Duration
	old      oldUse
	gpus     gpuNumbers
	models   models
}

// Open prepares connections. It does not wait for the database: that is
// Status, which also says whether the schema fits this binary.
func Open(ctx context.Context, c Config) (*DB, error) {
	pc, err := c.pool()
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, explain("opening the database", err)
	}
	half := c.HalfLife
	if half <= 0 {
		half = DefaultHalfLife
	}
	return &DB{pool: pool, halfLife: half, old: oldUse{sums: map[string]*oldSum{}}}, nil
}

// Close ends all connections.
func (d *DB) Close() { d.pool.Close() }
