package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
)

// cycleRow is a cycle ready to be stored. It is made outside the transaction.
type cycleRow struct {
	*bridge.Cycle
	snapshot      []byte // gzip; nil when the cycle has none
	planDigest    string
	memo          *string
	refused, took []byte
	plan          planColumns
}

func newCycleRow(c *bridge.Cycle) (*cycleRow, error) {
	if c.Plan == nil {
		return nil, fmt.Errorf("storing cycle %d of partition %s: it has no plan", c.Seq, c.Partition)
	}
	r := &cycleRow{Cycle: c, plan: columnsOf(c.Plan)}
	memo, err := json.Marshal(c.Plan.Memo)
	var err2, err3, err4 error
	r.planDigest, err4 = DigestPlan(c.Plan)
	r.refused, err2 = json.Marshal(c.Refused)
	r.took, err3 = json.Marshal(c.Took)
	if err = errors.Join(err, err2, err3, err4); err != nil {
		return nil, fmt.Errorf("storing cycle %d of partition %s: %w", c.Seq, c.Partition, err)
	}
	if c.Refused == nil {
		r.refused = []byte("[]")
	}
	if !c.Plan.Memo.IsZero() {
		s := string(memo)
		r.memo = &s
	}
	r.snapshot = value.Gzip(c.Snapshot)
	return r, nil
}

// DigestPlan returns the SHA-256 of the plan's JSON, in hex: what a replay
// must reproduce.
func DigestPlan(p *policy.Plan) (string, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("printing the plan: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// add stores the cycle and its decisions; added is false when it was there.
func (r *cycleRow) add(ctx context.Context, tx pgx.Tx) (added bool, err error) {
	seq := int64(r.Seq)
	tag, err := tx.Exec(ctx, qCycleAdd, r.Cluster, r.Partition, seq, r.Epoch, r.At, r.Mode, r.Policy, value.Text(r.Params), r.Digest,
		r.snapshot, r.planDigest, r.memo, len(r.Plan.Decisions), r.refused, r.Pushed, r.took, r.Own)
	if err != nil {
		return false, err
	}
	if tag.RowsAffected() == 0 {
		return false, r.same(ctx, tx)
	}
	p := &r.plan
	_, err = tx.Exec(ctx, qDecisionsAdd, r.Cluster, r.Partition, seq, r.At, p.job, p.verb, p.rank, p.gpus, p.alloc, p.roomFor, p.why)
	return true, err
}

// same checks that the cycle that is stored is this one.
func (r *cycleRow) same(ctx context.Context, tx pgx.Tx) error {
	var same bool
	err := tx.QueryRow(ctx, qCycleSame, r.Cluster, r.Partition, int64(r.Seq), r.Epoch, r.Digest, r.planDigest).Scan(&same)
	if err == nil && !same {
		return fmt.Errorf("%w: cycle %d of partition %s came from another snapshot or epoch", bridge.ErrConflict, r.Seq, r.Partition)
	}
	return err
}

// planColumns are the decisions by column, as arrays travel to Postgres.
type planColumns struct {
	job, roomFor     []int64
	rank, gpus       []int32
	verb, alloc, why []string
}

func columnsOf(p *policy.Plan) planColumns {
	var c planColumns
	for i := range p.Decisions {
		d := &p.Decisions[i]
		c.job = append(c.job, int64(d.Job))
		c.roomFor = append(c.roomFor, int64(d.For))
		c.rank = append(c.rank, int32(d.Rank))
		c.gpus = append(c.gpus, int32(d.GPUs))
		c.verb = append(c.verb, string(d.Verb))
		c.alloc = append(c.alloc, value.Text(d.On.String()))
		c.why = append(c.why, value.Text(d.Why))
	}
	if c.job == nil {
		c = planColumns{job: []int64{}, roomFor: []int64{}, rank: []int32{}, gpus: []int32{}, verb: []string{}, alloc: []string{}, why: []string{}}
	}
	return c
}
