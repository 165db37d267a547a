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
	"fairbridge/policy"
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

// QueueRow is one job in the queue as of the last cycle.
type QueueRow struct {
	Partition string       `json:"partition"`
	Rank      int          `json:"rank"`
	JobID     policy.JobID `json:"job"`
	Name      string       `json:"name"`
	User      string       `json:"user"`
	Account   string       `json:"account"`
	State     string       `json:"state"`
	Reason    string       `json:"reason"`
	GPUs      int          `json:"gpus"`
	Verb      policy.Verb  `json:"verb"`
	Placement string       `json:"on,omitempty"`
	Why       string       `json:"why"`
	Arrive    time.Time    `json:"arrive,omitzero"`
	Start     time.Time    `json:"start,omitzero"`
}

var qQueue, qCycleLast = sql.QueryText("queue"), sql.QueryText("cycle_last")

// Queue returns the decisions of the last cycle in the order of their ranks,
// of one partition or, with "", of all.
func (s *Store) Queue(ctx context.Context, cluster, partition string) ([]QueueRow, error) {
	out, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (q QueueRow, err error) {
		var arrive, start *time.Time
		var gpus *int
		err = row.Scan(&q.Partition, &q.Rank, &q.JobID, &q.Name, &q.User, &q.Account, &q.State, &q.Reason, &gpus, &q.Verb, &q.Placement, &q.Why, &arrive, &start)
		if gpus != nil {
			q.GPUs = *gpus
		}
		q.Arrive, q.Start = value.TimeOrZero(arrive), value.TimeOrZero(start)
		return q, err
	}, qQueue, cluster, partition)
	return out, accounting.WrapError("reading the queue", err)
}

// LastCycleAt returns when the last cycle was that is stored, of one partition or, with "",
// of any; ok is false when none is.
func (s *Store) LastCycleAt(ctx context.Context, cluster, partition string) (at time.Time, ok bool, err error) {
	err = s.DB.QueryRow(ctx, qCycleLast, cluster, partition).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return at.UTC(), err == nil, accounting.WrapError("asking when the last cycle of cluster "+cluster+" was", err)
}

// Change is an intent with whose job it is about.
type Change struct {
	bridge.Intent
	Address, User, Account string // "" where the job's runs are no longer kept
}

// ChangeScope says which changes are wanted; an empty list matches every change.
type ChangeScope struct {
	Since  time.Time // made then or later
	Before int64     // with an id below; 0: from the newest
	Jobs   []int64
	Users  []string
	Kinds  []string
	States []string
	// OnlyUser and OnlyAccounts bound whose they are, where IsBounded: of jobs of the user, or of the accounts.
	IsBounded    bool
	OnlyUser     string
	OnlyAccounts []string
	Limit        int // most of them
}

var qChanges = sql.QueryText("changes")

// Changes returns changes in Slurm, made or meant, newest first.
func (s *Store) Changes(ctx context.Context, cluster string, c ChangeScope) ([]Change, error) {
	jobs := c.Jobs
	if jobs == nil {
		jobs = []int64{}
	}
	list, err := accounting.CollectRows(ctx, s.DB, scanChange, qChanges, cluster, c.Since, c.Before, jobs, emptyIfNil(c.Users), emptyIfNil(c.Kinds),
		emptyIfNil(c.States), !c.IsBounded, c.OnlyUser, emptyIfNil(c.OnlyAccounts), c.Limit)
	return list, accounting.WrapError("reading the changes in Slurm", err)
}

func scanChange(row pgx.CollectableRow) (c Change, err error) {
	c.Intent, err = scanIntent(row, &c.Address, &c.User, &c.Account)
	return c, err
}

var qIntentRestore = sql.QueryText("intent_restore")

// RestoreIntents puts intents back that were sent and that the database lost, as when it was put back from a
// backup, and returns those with the ids that they have from now on. Those it knows, and those beside which the
// job's field has an open one, are left out. It needs no leadership: nothing is sent by it.
func (s *Store) RestoreIntents(ctx context.Context, lost []bridge.Intent) (restored []bridge.Intent, err error) {
	err = s.DB.RunTx(ctx, "putting intents back", func(tx pgx.Tx) error {
		restored = nil
		for _, in := range lost {
			e := &in.Edit
			err := tx.QueryRow(ctx, qIntentRestore, in.Cluster, in.Epoch, in.Policy,
				e.Run.Job, e.Run.Submit, e.Run.Restarts, e.Run.SLUID, e.Kind.Field(), e.Kind, e.Value,
				value.NullIfZero(e.Until), emptyIfNil(e.Nodes), e.Array, e.Tasks, value.ValidText(e.Why),
				in.Before, in.State, value.NullIfZero(in.NotAfter), in.Made, e.Text,
				value.NullIfZero(in.Sent), value.ValidText(in.Error), in.Polls).Scan(&in.ID)
			switch {
			case errors.Is(err, pgx.ErrNoRows):
				continue
			case err != nil:
				return accounting.WrapError(fmt.Sprintf("putting intent %d back", in.ID), err)
			}
			restored = append(restored, in)
		}
		return nil
	})
	return restored, err
}
