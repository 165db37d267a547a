// Package capacity reads from the snapshots of old cycles what nothing else keeps,
// hour by hour: how many GPUs there were, idle or stranded, how many were wanted, and
// when Slurm thought that jobs would start.
package capacity

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/sql"
)

var (
	qLooksHours, qLooks    = sql.Query("looks_hours"), sql.Query("looks")
	qLooksClear, qLooksPut = sql.Query("looks_clear"), sql.Query("looks_put")
	qEstimatesPut          = sql.Query("estimates_put")
)

// SumUp reads what only the snapshots of cycles know, while they are kept:
// how many GPUs there were, idle or stranded, and when Slurm thought that jobs
// would start. The hour that was last looked at is looked at again.
func SumUp(ctx context.Context, conn *pgxpool.Conn, cluster string) error {
	hours, err := accounting.Collect(ctx, conn, pgx.RowTo[time.Time], qLooksHours, cluster)
	if err != nil {
		return err
	}
	for _, h := range hours {
		if err := accounting.LongSnapshotTx(ctx, conn, func(tx pgx.Tx) error { return lookAt(ctx, tx, cluster, h) }); err != nil {
			return fmt.Errorf("hour %s: %w", h.UTC().Format(time.RFC3339), err)
		}
	}
	return nil
}

// look is one snapshot.
type look struct {
	partition string
	at        time.Time
	policy.Snapshot
}

func lookAt(ctx context.Context, tx pgx.Tx, cluster string, hour time.Time) error {
	looks, err := accounting.Collect(ctx, tx, scanLook, qLooks, cluster, hour)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, qLooksClear, cluster, hour); err != nil {
		return err
	}
	c := capacityOf(looks)
	if _, err := tx.Exec(ctx, qLooksPut, cluster, hour, c.partition, c.gpu, c.looks, c.gpus, c.held, c.idle, c.stranded, c.away, c.wanted); err != nil {
		return err
	}
	return estimates(ctx, tx, cluster, firstOf(looks))
}

// estimates stores when Slurm thought that waiting jobs would start.
func estimates(ctx context.Context, tx pgx.Tx, cluster string, looks []look) error {
	for _, l := range looks {
		var jobs []int64
		var arrive, start []time.Time
		var user, account, partition []string
		for i := range l.Jobs {
			if j := &l.Jobs[i]; j.State == policy.Pending && j.Held == "" && !j.SlurmStart.IsZero() {
				jobs, arrive, start = append(jobs, int64(j.ID)), append(arrive, j.Arrive), append(start, j.SlurmStart)
				user, account, partition = append(user, j.User), append(account, j.Account), append(partition, j.Partition)
			}
		}
		if _, err := tx.Exec(ctx, qEstimatesPut, cluster, l.at, jobs, arrive, start, user, account, partition); err != nil {
			return err
		}
	}
	return nil
}

func scanLook(row pgx.CollectableRow) (l look, err error) {
	var packed []byte
	if err := row.Scan(&l.partition, &l.at, &packed); err != nil {
		return l, err
	}
	text, err := value.Gunzip(packed)
	if err != nil {
		return l, fmt.Errorf("unpacking the snapshot of partition %s at %s: %w", l.partition, l.at, err)
	}
	if err := json.Unmarshal(text, &l.Snapshot); err != nil {
		return l, fmt.Errorf("reading the snapshot of partition %s at %s: %w", l.partition, l.at, err)
	}
	return l, nil
}

// firstOf returns the first look at each partition.
func firstOf(looks []look) []look {
	var first []look
	seen := map[string]bool{}
	for _, l := range looks {
		if !seen[l.partition] {
			seen[l.partition] = true
			first = append(first, l)
		}
	}
	return first
}
