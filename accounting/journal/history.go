package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// ErrUnknownJob means that no view ever showed the job.
var ErrUnknownJob = errors.New("fairbridge has never seen this job: is the number right, and did it ask for GPUs in a partition it looks after?")

// JobHistory is what is known of one job.
type JobHistory struct {
	JobID     policy.JobID     `json:"job"`
	Runs      []JobRun         `json:"runs"`      // oldest first
	Decisions []StoredDecision `json:"decisions"` // the present ones first, then newest first
	Intents   []bridge.Intent  `json:"intents"`   // newest first
}

// JobRun is one run of a job, or its wait for it.
type JobRun struct {
	Restarts    int               `json:"restarts"`
	Submit      time.Time         `json:"submit"`
	Arrive      time.Time         `json:"arrive"`
	Name        string            `json:"name"`
	User        string            `json:"user"`
	Account     string            `json:"account"`
	QOS         string            `json:"qos"`
	Partition   string            `json:"partition"`
	State       string            `json:"state"`
	Reason      string            `json:"reason"`
	GPUs        int               `json:"gpus"` // devices it holds or asks for
	Start       time.Time         `json:"start,omitzero"`
	End         time.Time         `json:"end,omitzero"`
	HasExactEnd bool              `json:"exact"`   // the end is Slurm's word, not inferred
	Nodes       string            `json:"nodes"`   // where it held GPUs, comma list
	Service     policy.GPUSeconds `json:"service"` // as of the last poll
}

// StoredDecision is a decision as it was stored.
type StoredDecision struct {
	Partition string       `json:"partition"`
	Seq       uint64       `json:"seq"`         // cycle in which it was made
	At        time.Time    `json:"at,omitzero"` // zero for the present one
	IsCurrent bool         `json:"now"`         // it is the present one
	Verb      policy.Verb  `json:"verb"`
	Rank      int          `json:"rank"`
	GPUs      int          `json:"gpus"`
	Placement string       `json:"on,omitempty"` // "n1:4×a100"
	ForJob    policy.JobID `json:"for,omitempty"`
	Why       string       `json:"why"`
}

// maxHistoryRows bounds decisions and intents in a story.
const maxHistoryRows = 200

var (
	qHistoryRuns, qHistoryDecisions = sql.QueryText("history_runs"), sql.QueryText("history_decisions")
	qHistoryIntents                 = sql.QueryText("history_intents")
)

// JobHistory tells what is known of a job: its runs, what was decided about it
// and why, and what was done. An earlier owner of a reused id is left out.
func (s *Store) JobHistory(ctx context.Context, cluster string, job policy.JobID) (*JobHistory, error) {
	out := &JobHistory{JobID: job}
	err := s.DB.RunReadTx(ctx, fmt.Sprintf("reading the story of job %d", job), func(tx pgx.Tx) error {
		var err error
		if out.Runs, err = accounting.CollectRows(ctx, tx, scanRun, qHistoryRuns, cluster, job); err != nil {
			return err
		}
		if len(out.Runs) == 0 {
			return ErrUnknownJob
		}
		since := out.Runs[0].Arrive
		if out.Decisions, err = accounting.CollectRows(ctx, tx, scanDecision, qHistoryDecisions, cluster, job, since, maxHistoryRows); err != nil {
			return err
		}
		out.Intents, err = accounting.CollectRows(ctx, tx, scanOnlyIntent, qHistoryIntents, cluster, job, since, maxHistoryRows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func scanRun(row pgx.CollectableRow) (r JobRun, err error) {
	var start, end *time.Time
	err = row.Scan(&r.Restarts, &r.Submit, &r.Arrive, &r.Name, &r.User, &r.Account, &r.QOS, &r.Partition, &r.State, &r.Reason,
		&r.GPUs, &start, &end, &r.HasExactEnd, &r.Nodes, &r.Service)
	r.Submit, r.Arrive, r.Start, r.End = r.Submit.UTC(), r.Arrive.UTC(), value.TimeOrZero(start), value.TimeOrZero(end)
	return r, err
}

func scanDecision(row pgx.CollectableRow) (s StoredDecision, err error) {
	var at *time.Time
	var seq int64
	err = row.Scan(&s.Partition, &seq, &at, &s.Verb, &s.Rank, &s.GPUs, &s.Placement, &s.ForJob, &s.Why, &s.IsCurrent)
	s.Seq, s.At = uint64(seq), value.TimeOrZero(at)
	return s, err
}

var qIntentMark, qIntentState = sql.QueryText("intent_mark"), sql.QueryText("intent_state")

// UpdateIntent stores an intent's State, times, Error, Polls, with SENT its Before, and the values SettleIntents
// adopted (Until, NotAfter). Marking SENT is the leave to send: it is refused
// with bridge.ErrFenced once another daemon leads. A closed intent stays as it is,
// and no intent goes back to an earlier state: bridge.ErrClosed.
func (s *Store) UpdateIntent(ctx context.Context, in bridge.Intent) error {
	tag, err := s.DB.Exec(ctx, qIntentMark, in.ID, in.State, value.NullIfZero(in.Edit.Until), value.NullIfZero(in.NotAfter), value.NullIfZero(in.Sent), value.NullIfZero(in.Closed), value.ValidText(in.Error), in.Polls, in.Before)
	if err != nil {
		return accounting.WrapError(fmt.Sprintf("marking intent %d %s", in.ID, in.State), err)
	}
	if tag.RowsAffected() == 1 {
		return nil
	}
	return accounting.WrapError(fmt.Sprintf("marking intent %d %s", in.ID, in.State), s.explainNotMarked(ctx, in))
}

// explainNotMarked says why an intent could not be marked.
func (s *Store) explainNotMarked(ctx context.Context, in bridge.Intent) error {
	var state bridge.IntentState
	var epoch, now int64
	var holder string
	var alive bool
	err := s.DB.QueryRow(ctx, qIntentState, in.ID).Scan(&state, &epoch, &now, &holder, &alive)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: it is not in the ledger", bridge.ErrConflict)
	case err != nil:
		return err
	case in.State == bridge.IntentSent && (epoch != now || !alive) && (state == bridge.IntentPlanned || state == bridge.IntentSent || state == bridge.IntentUnknown):
		return fmt.Errorf("%w: %s under epoch %d, ours was %d", bridge.ErrFenced, holder, now, epoch)
	}
	return fmt.Errorf("%w: it is %s", bridge.ErrClosedIntent, state)
}

var qIntents = sql.QueryText("intents")

// Intents returns every intent of the cluster that is not closed (open, or its
// effect observed and not yet given up), or was closed after since, by ID. now
// is not needed: what has run out stays until SettleIntents has closed it.
func (s *Store) Intents(ctx context.Context, cluster string, now, since time.Time) ([]bridge.Intent, error) {
	out, err := accounting.CollectRows(ctx, s.DB, scanOnlyIntent, qIntents, cluster, since)
	return out, accounting.WrapError("reading the ledger", err)
}

// scanIntent reads an intent from a row, whose last columns go to more.
func scanIntent(row pgx.CollectableRow, more ...any) (bridge.Intent, error) {
	var in bridge.Intent
	var until, notAfter, sent, closed *time.Time
	var cycle int64
	e := &in.Edit
	err := row.Scan(append([]any{&in.ID, &in.Cluster, &in.Epoch, &cycle, &in.Policy, &e.Run.Job, &e.Run.Submit, &e.Run.Restarts, &e.Run.SLUID,
		&e.Kind, &e.Value, &until, &e.Nodes, &e.Array, &e.Tasks, &e.Why, &e.Text,
		&in.Before, &in.State, &notAfter, &in.Made, &sent, &closed, &in.Error, &in.Polls}, more...)...)
	in.Cycle, in.Made = uint64(cycle), in.Made.UTC()
	e.Until, in.NotAfter, in.Sent, in.Closed = value.TimeOrZero(until), value.TimeOrZero(notAfter), value.TimeOrZero(sent), value.TimeOrZero(closed)
	if s := in.Before.Stop; s != nil {
		e.Signal = s.Signal
	}
	if len(e.Nodes) == 0 {
		e.Nodes = nil
	}
	return in, err
}

// scanOnlyIntent reads an intent from a row of its columns.
func scanOnlyIntent(row pgx.CollectableRow) (bridge.Intent, error) { return scanIntent(row) }
