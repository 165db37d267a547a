package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/sql"
)

var (
	qIntentAdd, qIntentsOfCycle = sql.QueryText("intent_add"), sql.QueryText("intents_of_cycle")
	qCycleAdd, qCycleSame       = sql.QueryText("cycle_add"), sql.QueryText("cycle_same")
	qDecisionsAdd               = sql.QueryText("decisions_add")
)

// StoreIntents stores the cycle, its decisions and its intents as PLANNED in one
// transaction, provided the epoch still leads, and returns the intents with
// their ids and with times as the database keeps them (microseconds). c is nil
// for a release, which belongs to no cycle. Storing the same cycle again
// changes nothing and returns the same ids; another cycle under its number is
// bridge.ErrConflict, a stale epoch bridge.ErrFenced.
func (s *Store) StoreIntents(ctx context.Context, c *bridge.Cycle, intents []bridge.Intent) ([]bridge.Intent, error) {
	if c == nil && len(intents) == 0 {
		return nil, nil
	}
	var row *cycleRow
	var err error
	if c != nil {
		if row, err = newCycleRow(c); err != nil {
			return nil, err
		}
	}
	cluster, epoch, err := commonClusterAndEpoch(c, intents)
	if err != nil {
		return nil, err
	}
	var out []bridge.Intent
	err = s.DB.RunTx(ctx, "storing intents", func(tx pgx.Tx) error {
		if err := RequireLeader(ctx, tx, cluster, epoch); err != nil {
			return err
		}
		added := true
		if row != nil {
			if added, err = row.insert(ctx, tx); err != nil {
				return err
			}
		}
		out = copyWithStoredTimes(c, intents)
		if !added {
			return readStoredIDs(ctx, tx, c, out)
		}
		return addIntents(ctx, tx, c, out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// commonClusterAndEpoch returns the cluster and epoch everything is written under.
func commonClusterAndEpoch(c *bridge.Cycle, intents []bridge.Intent) (string, int64, error) {
	var cluster string
	var epoch int64
	if c != nil {
		cluster, epoch = c.Cluster, c.Epoch
	} else {
		cluster, epoch = intents[0].Cluster, intents[0].Epoch
	}
	for i := range intents {
		if in := &intents[i]; in.Cluster != cluster || in.Epoch != epoch {
			return "", 0, fmt.Errorf("storing intents: one is for cluster %q epoch %d, the others for %q epoch %d", in.Cluster, in.Epoch, cluster, epoch)
		}
	}
	return cluster, epoch, nil
}

// copyWithStoredTimes returns copies as the database will hold them.
func copyWithStoredTimes(c *bridge.Cycle, intents []bridge.Intent) []bridge.Intent {
	out := make([]bridge.Intent, len(intents))
	for i, in := range intents {
		in.State = bridge.IntentPlanned
		if c != nil {
			in.Cycle = c.Seq
		}
		in.Made, in.NotAfter, in.Edit.Until = truncateToMicroseconds(in.Made), truncateToMicroseconds(in.NotAfter), truncateToMicroseconds(in.Edit.Until)
		in.Edit.Why = value.ValidText(in.Edit.Why)
		out[i] = in
	}
	return out
}

func truncateToMicroseconds(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// readStoredIDs fills in the ids of a cycle that is stored already.
func readStoredIDs(ctx context.Context, tx pgx.Tx, c *bridge.Cycle, out []bridge.Intent) error {
	ids, err := accounting.CollectRows(ctx, tx, pgx.RowTo[int64], qIntentsOfCycle, c.Cluster, c.Partition, int64(c.Seq))
	if err != nil {
		return err
	}
	if len(ids) != len(out) {
		return fmt.Errorf("%w: cycle %d of partition %s has %d intents there, %d here", bridge.ErrConflict, c.Seq, c.Partition, len(ids), len(out))
	}
	for i := range out {
		out[i].ID = ids[i]
	}
	return nil
}

// addIntents writes the intents in one round trip.
func addIntents(ctx context.Context, tx pgx.Tx, c *bridge.Cycle, out []bridge.Intent) error {
	partition, seq := "", (*int64)(nil)
	if c != nil {
		n := int64(c.Seq)
		partition, seq = c.Partition, &n
	}
	b := &pgx.Batch{}
	for i := range out {
		in, e := &out[i], &out[i].Edit
		b.Queue(qIntentAdd, in.Cluster, in.Epoch, partition, seq, i, in.Policy, e.Run.Job, e.Run.Submit, e.Run.Restarts, e.Run.SLUID,
			e.Kind.Field(), e.Kind, e.Value, value.NullIfZero(e.Until), emptyIfNil(e.Nodes), e.Array, e.Tasks, e.Why,
			in.Before, in.State, value.NullIfZero(in.NotAfter), in.Made, e.Text,
		).QueryRow(func(r pgx.Row) error { return r.Scan(&in.ID) })
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return explainConflict(err)
	}
	return nil
}

// emptyIfNil stores no list as an empty one.
func emptyIfNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// explainConflict names the rule behind a refused second open intent.
func explainConflict(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && pg.ConstraintName == "intents_one_open" {
		return fmt.Errorf("%w: a job's field has an intent whose outcome is still open (%s)", bridge.ErrConflict, pg.Detail)
	}
	return err
}
