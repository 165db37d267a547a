// Package reminders keeps which owners were told of idle GPUs, and what came of it. Who is told is written
// down before it is sent, by the daemon that leads: so no step of a job is told twice.
package reminders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/accounting/journal"
	"fairbridge/bridge/reminders"
	"fairbridge/sql"
)

// Store keeps reminders of one database. It is safe for concurrent use.
type Store struct {
	DB *accounting.DB
}

var (
	qSpellsClear, qSpellsPut, qProgress = sql.QueryText("reminder_spells_clear"), sql.QueryText("reminder_spells_put"), sql.QueryText("reminders_progress")
	qClaim, qClaimJobs, qClaimClose     = sql.QueryText("reminder_claim"), sql.QueryText("reminder_claim_jobs"), sql.QueryText("reminder_claim_close")
	qFinish, qRelease                   = sql.QueryText("reminder_finish"), sql.QueryText("reminder_release")
)

// SaveLook stores what a look found, all or nothing: idle GPUs, and what came of earlier reminders. It fails with
// bridge.ErrFenced unless the epoch leads the cluster.
func (s *Store) SaveLook(ctx context.Context, cluster string, epoch int64, at time.Time, d *reminders.Decision) error {
	return s.DB.RunTx(ctx, "storing which GPUs are idle", func(tx pgx.Tx) error {
		if err := journal.RequireLeader(ctx, tx, cluster, epoch); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, qSpellsClear, cluster); err != nil {
			return err
		}
		text := func(of func(*reminders.Spell) string) []string { return value.ColumnOf(d.Spells, of) }
		moment := func(of func(*reminders.Spell) time.Time) []time.Time { return value.ColumnOf(d.Spells, of) }
		if _, err := tx.Exec(ctx, qSpellsPut, cluster, value.ColumnOf(d.Spells, func(x *reminders.Spell) int64 { return x.Job }), value.ColumnOf(d.Spells, func(x *reminders.Spell) int32 { return int32(x.Restarts) }),
			text(func(x *reminders.Spell) string { return x.Node }), text(func(x *reminders.Spell) string { return x.UUID }), text(func(x *reminders.Spell) string { return x.Type }),
			moment(func(x *reminders.Spell) time.Time { return x.Since }), moment(func(x *reminders.Spell) time.Time { return x.Until })); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, qProgress, cluster, at, value.ColumnOf(d.Progress, func(p *reminders.Progress) int64 { return p.Job }),
			value.ColumnOf(d.Progress, func(p *reminders.Progress) float64 { return p.IdleGPUTime.Seconds() }), value.ColumnOf(d.Progress, func(p *reminders.Progress) string { return string(p.Outcome) }))
		return err
	})
}

// Limits of messages, for an owner in 24 hours and in all in an hour.
type Limits struct{ PerOwner, InAll int }

// errWithheld undoes a claim: limits do not allow it, or a job of it was told.
var errWithheld = errors.New("withheld")

// Claim writes down that a message is about to be sent, and fills in its ID. Only who gets true may send it, and once.
// False: by what the database has, limits do not allow it, or a step of a job in it was told already. It fails with
// bridge.ErrFenced unless the epoch leads the cluster.
func (s *Store) Claim(ctx context.Context, cluster string, epoch int64, at time.Time, l Limits, m *reminders.Message) (bool, error) {
	var id int64
	err := s.DB.RunTx(ctx, "noting whom to tell of idle GPUs", func(tx pgx.Tx) error {
		if err := journal.RequireLeader(ctx, tx, cluster, epoch); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, qClaim, cluster, value.ValidText(m.User), at, l.PerOwner, l.InAll).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return errWithheld
		} else if err != nil {
			return err
		}
		return claimJobs(ctx, tx, cluster, id, at, m)
	})
	if errors.Is(err, errWithheld) {
		return false, nil
	}
	m.ID = id
	return err == nil, err
}

func claimJobs(ctx context.Context, tx pgx.Tx, cluster string, id int64, at time.Time, m *reminders.Message) error {
	jobs := value.ColumnOf(m.Jobs, func(e *reminders.Entry) int64 { return e.Job })
	if _, err := tx.Exec(ctx, qClaimClose, cluster, jobs, at); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, qClaimJobs, cluster, id, at, value.ValidText(m.User), jobs, value.ColumnOf(m.Jobs, func(e *reminders.Entry) int64 { return e.StepSeconds }),
		value.ColumnOf(m.Jobs, func(e *reminders.Entry) string { return value.ValidText(e.Account) }), value.ColumnOf(m.Jobs, func(e *reminders.Entry) string { return value.ValidText(e.Partition) }),
		value.ColumnOf(m.Jobs, func(e *reminders.Entry) int32 { return int32(e.IdleGPUs) }), value.ColumnOf(m.Jobs, func(e *reminders.Entry) time.Time { return e.IdleSince }))
	if err == nil && int(tag.RowsAffected()) != len(m.Jobs) {
		return errWithheld
	}
	return err
}

// Release gives a claim back: the message was not sent, and cannot have arrived. Its jobs are told at another look, and
// what they idle until then counts to the step that was told before.
func (s *Store) Release(ctx context.Context, cluster string, id int64) error {
	_, err := s.DB.Exec(ctx, qRelease, cluster, id)
	return accounting.WrapError(fmt.Sprintf("giving message %d back", id), err)
}

// Finish writes down what became of a message: by what it was sent, and what went wrong.
func (s *Store) Finish(ctx context.Context, cluster string, id int64, sentBy []string, failure error) error {
	state, text := "sent", ""
	if len(sentBy) == 0 {
		state, sentBy = "failed", []string{}
	}
	if failure != nil {
		text = value.ValidText(failure.Error())
	}
	_, err := s.DB.Exec(ctx, qFinish, cluster, id, state, sentBy, text)
	return accounting.WrapError(fmt.Sprintf("noting what became of message %d", id), err)
}

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
