// Package capacity reads from the snapshots of old cycles what nothing else keeps,
// hour by hour: how many GPUs there were, idle or stranded, how many were wanted, and
// when Slurm thought that jobs would start.
package capacity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/sql"
)

var (
	qCapacityHoursDue, qCapacitySnapshots = sql.QueryText("capacity_hours_due"), sql.QueryText("capacity_snapshots")
	qCapacityClear, qCapacityPut          = sql.QueryText("capacity_clear"), sql.QueryText("capacity_put")
	qEstimatesPut                         = sql.QueryText("estimates_put")
)

// SumCapacityOfDueHours reads what only the snapshots of cycles know, while they are kept:
// how many GPUs there were, idle or stranded, and when Slurm thought that jobs
// would start. The hour that was last read is read again.
func SumCapacityOfDueHours(ctx context.Context, conn *pgxpool.Conn, cluster string) error {
	hours, err := accounting.CollectRows(ctx, conn, pgx.RowTo[time.Time], qCapacityHoursDue, cluster)
	if err != nil {
		return err
	}
	for _, h := range hours {
		if err := accounting.RunLongSnapshotTx(ctx, conn, func(tx pgx.Tx) error { return sumHour(ctx, tx, cluster, h) }); err != nil {
			return fmt.Errorf("hour %s: %w", h.UTC().Format(time.RFC3339), err)
		}
	}
	return nil
}

// snapshot is what a cycle saw of a partition.
type snapshot struct {
	partition string
	at        time.Time
	policy.Snapshot
}

func sumHour(ctx context.Context, tx pgx.Tx, cluster string, hour time.Time) error {
	list, err := accounting.CollectRows(ctx, tx, scanSnapshot, qCapacitySnapshots, cluster, hour)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, qCapacityClear, cluster, hour); err != nil {
		return err
	}
	means := meanByGroup(list)
	amounts := func(of func(*groupMean) float64) []float64 { return value.ColumnOf(means, of) }
	if _, err := tx.Exec(ctx, qCapacityPut, cluster, hour,
		value.ColumnOf(means, func(m *groupMean) string { return m.partition }), value.ColumnOf(means, func(m *groupMean) string { return m.gpuType }),
		value.ColumnOf(means, func(m *groupMean) int32 { return int32(m.snapshotCount) }),
		amounts(func(m *groupMean) float64 { return m.total }), amounts(func(m *groupMean) float64 { return m.held }), amounts(func(m *groupMean) float64 { return m.idle }),
		amounts(func(m *groupMean) float64 { return m.stranded }), amounts(func(m *groupMean) float64 { return m.unavailable }), amounts(func(m *groupMean) float64 { return m.requested }),
		amounts(func(m *groupMean) float64 { return m.unusable }), amounts(func(m *groupMean) float64 { return m.meanUnusable }), amounts(func(m *groupMean) float64 { return m.blocked }),
	); err != nil {
		return err
	}
	return storeStartEstimates(ctx, tx, cluster, firstOfEachPartition(list))
}

// storeStartEstimates stores when Slurm thought that waiting jobs would start.
func storeStartEstimates(ctx context.Context, tx pgx.Tx, cluster string, list []snapshot) error {
	for _, l := range list {
		jobs := slices.DeleteFunc(slices.Clone(l.Jobs), func(j policy.Job) bool {
			return j.State != policy.Pending || j.HeldReason != "" || j.SlurmStartEstimate.IsZero()
		})
		texts := func(of func(*policy.Job) string) []string { return value.ColumnOf(jobs, of) }
		if _, err := tx.Exec(ctx, qEstimatesPut, cluster, l.at, value.ColumnOf(jobs, func(j *policy.Job) int64 { return int64(j.ID) }),
			value.ColumnOf(jobs, func(j *policy.Job) time.Time { return j.Arrive }), value.ColumnOf(jobs, func(j *policy.Job) time.Time { return j.SlurmStartEstimate }),
			texts(func(j *policy.Job) string { return j.User }), texts(func(j *policy.Job) string { return j.Account }), texts(func(j *policy.Job) string { return j.Partition }),
		); err != nil {
			return err
		}
	}
	return nil
}

func scanSnapshot(row pgx.CollectableRow) (l snapshot, err error) {
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

// firstOfEachPartition returns the first snapshot of each partition.
func firstOfEachPartition(list []snapshot) []snapshot {
	var first []snapshot
	seen := map[string]bool{}
	for _, l := range list {
		if !seen[l.partition] {
			seen[l.partition] = true
			first = append(first, l)
		}
	}
	return first
}
