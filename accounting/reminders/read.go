package reminders

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge/reminders"
	"fairbridge/sql"
)

var (
	qOpen, qReadings, qSpells = sql.QueryText("reminders_open"), sql.QueryText("reminder_readings"), sql.QueryText("reminder_spells")
	qTold, qMessages, qList   = sql.QueryText("reminders_told"), sql.QueryText("reminder_messages"), sql.QueryText("reminder_list")
)

// ReadState reads what is known before a look at a moment.
func (s *Store) ReadState(ctx context.Context, cluster string, at time.Time) (x reminders.State, err error) {
	err = s.DB.RunReadTx(ctx, "reading which GPUs are idle", func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local jit = off"); err != nil { // it costs more than it gains here
			return err
		}
		if x.Open, err = accounting.CollectRows(ctx, tx, pgx.RowTo[int64], qOpen, cluster); err != nil {
			return err
		}
		if x.Readings, err = accounting.CollectRows(ctx, tx, scanReading, qReadings, cluster, at, x.Open); err != nil {
			return err
		}
		if x.Spells, err = accounting.CollectRows(ctx, tx, scanSpell, qSpells, cluster); err != nil {
			return err
		}
		return readTold(ctx, tx, cluster, at, &x)
	})
	return x, err
}

// readTold reads what was told: of the jobs that were read, and how many messages there were.
func readTold(ctx context.Context, tx pgx.Tx, cluster string, at time.Time, x *reminders.State) error {
	jobs := make([]int64, 0, len(x.Readings))
	for i := range x.Readings {
		jobs = append(jobs, x.Readings[i].Job)
	}
	x.Told, x.MessagesByUser = map[int64]time.Duration{}, map[string]int{}
	var job, step int64
	rows, err := tx.Query(ctx, qTold, cluster, jobs)
	if err != nil {
		return err
	}
	if _, err = pgx.ForEachRow(rows, []any{&job, &step}, func() error {
		x.Told[job] = time.Duration(step) * time.Second
		return nil
	}); err != nil {
		return err
	}
	if rows, err = tx.Query(ctx, qMessages, cluster, at); err != nil {
		return err
	}
	var user string
	var day, hour int
	_, err = pgx.ForEachRow(rows, []any{&user, &day, &hour}, func() error {
		x.MessagesByUser[user] = day
		x.MessagesInHour += hour
		return nil
	})
	return err
}

func scanReading(row pgx.CollectableRow) (r reminders.Reading, err error) {
	err = row.Scan(&r.Job, &r.Restarts, &r.Node, &r.UUID, &r.Type, &r.User, &r.Since, &r.Until, &r.Doubt)
	return r, err
}

func scanSpell(row pgx.CollectableRow) (s reminders.Spell, err error) {
	err = row.Scan(&s.Job, &s.Restarts, &s.Node, &s.UUID, &s.Type, &s.Since, &s.Until)
	return s, err
}

// Sent is a message to an owner, as it was written down.
type Sent struct {
	ID       int64     `json:"id"`
	At       time.Time `json:"at"`
	User     string    `json:"user"`
	State    string    `json:"state"` // sent, failed, or claimed: it is not known whether it was sent
	SentBy   []string  `json:"sent_by"`
	Error    string    `json:"error,omitempty"`
	IdleGPUs int       `json:"idle_gpus"`
	Jobs     []int64   `json:"jobs"`
}

// ListSent returns the messages since a moment, the newest first, at most so many.
func (s *Store) ListSent(ctx context.Context, cluster string, since time.Time, limit int) ([]Sent, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (x Sent, err error) {
		err = row.Scan(&x.ID, &x.At, &x.User, &x.State, &x.SentBy, &x.Error, &x.IdleGPUs, &x.Jobs)
		x.At = x.At.UTC()
		return x, err
	}, qList, cluster, since, limit)
	return list, accounting.WrapError("reading whom was told of idle GPUs", err)
}
