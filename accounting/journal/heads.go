package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// CycleHead is a cycle of a partition without what it saw and decided.
type CycleHead struct {
	Partition      string
	Seq            uint64
	At             time.Time
	Mode           bridge.Mode
	Policy, Params string
}

var qCycleHeads, qJobOwner = sql.QueryText("cycle_heads"), sql.QueryText("job_owner")

// LastCycles returns the last cycle of each of the partitions of which one is stored, by name.
func (s *Store) LastCycles(ctx context.Context, cluster string, partitions []string) ([]CycleHead, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (c CycleHead, err error) {
		var seq int64
		err = row.Scan(&c.Partition, &seq, &c.At, &c.Mode, &c.Policy, &c.Params)
		c.Seq, c.At = uint64(seq), c.At.UTC()
		return c, err
	}, qCycleHeads, cluster, partitions)
	return list, accounting.WrapError("asking for the last cycles", err)
}

// JobOwner returns whose a job is, by its last run. One that no view ever showed is ErrUnknownJob.
func (s *Store) JobOwner(ctx context.Context, cluster string, job policy.JobID) (user, account string, err error) {
	err = s.DB.QueryRow(ctx, qJobOwner, cluster, int64(job)).Scan(&user, &account)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", ErrUnknownJob
	}
	return user, account, accounting.WrapError(fmt.Sprintf("reading whose job %d is", job), err)
}
