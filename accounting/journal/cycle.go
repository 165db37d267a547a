package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// cycleRow is a cycle ready to be stored. It is made outside the transaction.
type cycleRow struct {
	*bridge.Cycle
	gzippedSnapshot            []byte // gzip; nil when the cycle has none
	planDigest                 string
	memoJSON                   *string
	refusedJSON, stepTimesJSON []byte
	decisionArrays             []any // columns
}

func newCycleRow(c *bridge.Cycle) (*cycleRow, error) {
	if c.Plan == nil {
		return nil, fmt.Errorf("storing cycle %d of partition %s: it has no plan", c.Seq, c.Partition)
	}
	r := &cycleRow{Cycle: c, decisionArrays: newDecisionColumns(c.Plan)}
	memo, err := json.Marshal(c.Plan.Memo)
	var err2, err3, err4 error
	r.planDigest, err4 = bridge.DigestPlan(c.Plan)
	r.refusedJSON, err2 = json.Marshal(c.Refused)
	r.stepTimesJSON, err3 = json.Marshal(c.StepTimes)
	if err = errors.Join(err, err2, err3, err4); err != nil {
		return nil, fmt.Errorf("storing cycle %d of partition %s: %w", c.Seq, c.Partition, err)
	}
	if c.Refused == nil {
		r.refusedJSON = []byte("[]")
	}
	if !c.Plan.Memo.IsZero() {
		s := string(memo)
		r.memoJSON = &s
	}
	r.gzippedSnapshot = value.Gzip(c.Snapshot)
	return r, nil
}

// insert stores the cycle and its decisions; added is false when it was there.
func (r *cycleRow) insert(ctx context.Context, tx pgx.Tx) (added bool, err error) {
	seq := int64(r.Seq)
	tag, err := tx.Exec(ctx, qCycleAdd, r.Cluster, r.Partition, seq, r.Epoch, r.At, r.Mode, r.Policy, value.ValidText(r.Params), r.SnapshotDigest,
		r.gzippedSnapshot, r.planDigest, r.memoJSON, len(r.Plan.Decisions), r.refusedJSON, r.Pushed, r.stepTimesJSON, r.PolicyPlanDigest)
	if err != nil {
		return false, err
	}
	if tag.RowsAffected() == 0 {
		return false, r.checkStoredSame(ctx, tx)
	}
	_, err = tx.Exec(ctx, qDecisionsAdd, append([]any{r.Cluster, r.Partition, seq, r.At}, r.decisionArrays...)...)
	return true, err
}

// checkStoredSame checks that the cycle that is stored is this one.
func (r *cycleRow) checkStoredSame(ctx context.Context, tx pgx.Tx) error {
	var same bool
	err := tx.QueryRow(ctx, qCycleSame, r.Cluster, r.Partition, int64(r.Seq), r.Epoch, r.SnapshotDigest, r.planDigest).Scan(&same)
	if err == nil && !same {
		return fmt.Errorf("%w: cycle %d of partition %s came from another snapshot or epoch", bridge.ErrConflict, r.Seq, r.Partition)
	}
	return err
}

// newDecisionColumns are the decisions by column, as arrays travel to Postgres.
func newDecisionColumns(p *policy.Plan) []any {
	type d = policy.Decision
	texts := func(of func(*d) string) []string { return value.ColumnOf(p.Decisions, of) }
	return []any{
		value.ColumnOf(p.Decisions, func(d *d) int64 { return int64(d.Job) }), texts(func(d *d) string { return string(d.Verb) }),
		value.ColumnOf(p.Decisions, func(d *d) int32 { return int32(d.Rank) }), value.ColumnOf(p.Decisions, func(d *d) int32 { return int32(d.GPUs) }),
		texts(func(d *d) string { return value.ValidText(d.On.String()) }), value.ColumnOf(p.Decisions, func(d *d) int64 { return int64(d.StoppedFor) }),
		texts(func(d *d) string { return value.ValidText(d.Why) }),
	}
}

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
