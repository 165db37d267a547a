package accounting

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/bridge/gate"
	"fairbridge/sql"
)

// StoredCycle is a cycle that can be decided again.
type StoredCycle struct {
	Seq            uint64
	Epoch          int64
	At             time.Time
	Mode           gate.Mode
	Policy, Params string
	Digest         string // SHA-256 of Snapshot, hex
	PlanDigest     string // what DigestPlan must give for the plan decided anew
	Snapshot       []byte // canonical JSON
}

// Why a stored cycle cannot be decided again.
var (
	ErrNoCycle    = errors.New("no such cycle is stored")
	ErrNoSnapshot = errors.New("the snapshot of this cycle is past its retention; only its digest is left")
)

var qReplay = sql.Query("replay")

// Cycle reads a stored cycle of a partition; seq 0 is the last. The snapshot
// is checked against its digest.
func (d *DB) Cycle(ctx context.Context, cluster, partition string, seq uint64) (*StoredCycle, error) {
	doing := fmt.Sprintf("reading cycle %d of partition %s", seq, partition)
	var c StoredCycle
	var n int64
	var packed []byte
	err := d.pool.QueryRow(ctx, qReplay, cluster, partition, int64(seq)).Scan(&n, &c.Epoch, &c.At, &c.Mode, &c.Policy, &c.Params, &c.Digest, &c.PlanDigest, &packed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("%s: %w", doing, ErrNoCycle)
	case err != nil:
		return nil, explain(doing, err)
	case packed == nil:
		return nil, fmt.Errorf("%s: %w", doing, ErrNoSnapshot)
	}
	c.Seq, c.At = uint64(n), c.At.UTC()
	if c.Snapshot, err = unzip(packed); err != nil {
		return nil, fmt.Errorf("%s: unpacking its snapshot: %w", doing, err)
	}
	if sum := sha256.Sum256(c.Snapshot); hex.EncodeToString(sum[:]) != c.Digest {
		return nil, fmt.Errorf("%s: its snapshot does not have the digest %s that was stored with it", doing, c.Digest)
	}
	return &c, nil
}

func unzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
