// Package journal keeps who leads, cycles with their decisions, and the ledger of
// intents. Every write is idempotent by key, so an unknown outcome of a commit is
// answered by doing it again.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/policy"
	"fairbridge/sql"
)

// Store is the journal in a database. It fills the ports Journal, Leadership,
// Expiry and Watch of package bridge, and Memo of History.
type Store struct{ DB *accounting.DB }

// RecordedDoubt is why the daemon that leads sends nothing, as it last said.
type RecordedDoubt struct {
	Cause  bridge.Cause `json:"cause"`
	Why    string       `json:"why"`
	Daemon string       `json:"daemon"` // its name in the leader row
	Since  time.Time    `json:"since"`  // the first cycle in a row that had the cause
	At     time.Time    `json:"as_of"`  // the last one
}

var qDoubtsSet, qDoubts, qLeader = sql.QueryText("doubts_set"), sql.QueryText("doubts"), sql.QueryText("leader")

// SetDoubts records what is in doubt at a time; none: nothing is. Of a daemon that does not
// lead nothing is recorded.
func (s *Store) SetDoubts(ctx context.Context, cluster, daemon string, doubts []bridge.Doubt, at time.Time) error {
	var causes, reasons []string
	for _, d := range doubts {
		cause := value.ValidText(string(d.Cause))
		known := false
		for i := range causes {
			if causes[i] == cause {
				reasons[i] += "; " + value.ValidText(d.Err.Error())
				known = true
			}
		}
		if !known {
			causes, reasons = append(causes, cause), append(reasons, value.ValidText(d.Err.Error()))
		}
	}
	_, err := s.DB.Exec(ctx, qDoubtsSet, cluster, daemon, emptyIfNil(causes), emptyIfNil(reasons), at)
	return accounting.WrapError("recording what is in doubt", err)
}

// Doubts returns what is in doubt, oldest first.
func (s *Store) Doubts(ctx context.Context, cluster string) ([]RecordedDoubt, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (d RecordedDoubt, err error) {
		err = row.Scan(&d.Cause, &d.Why, &d.Daemon, &d.Since, &d.At)
		d.Since, d.At = d.Since.UTC(), d.At.UTC()
		return d, err
	}, qDoubts, cluster)
	return list, accounting.WrapError("reading what is in doubt", err)
}

// Leader is the daemon that leads a cluster.
type Leader struct {
	Daemon string    `json:"daemon"` // HOST:PID and what tells it from others, as the daemon calls itself
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"` // it renews that while it runs
	Leads  bool      `json:"leads"` // until is yet to come; else it was the last that led
}

// ReadLeader returns who leads the cluster, or led last; nil: no daemon ever did.
func (s *Store) ReadLeader(ctx context.Context, cluster string) (*Leader, error) {
	var l Leader
	err := s.DB.QueryRow(ctx, qLeader, cluster).Scan(&l.Daemon, &l.Since, &l.Until, &l.Leads)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	l.Since, l.Until = l.Since.UTC(), l.Until.UTC()
	return &l, accounting.WrapError("reading who leads cluster "+cluster, err)
}

var qLead, qHolder, qResign, qFence = sql.QueryText("lead"), sql.QueryText("holder"), sql.QueryText("resign"), sql.QueryText("fence")

// Lead takes or renews the leadership of the cluster for ttl, by the clock of
// the database. The epoch grows whenever the lease changes hands or had run
// out. me must be unique among living daemons: two under one name would share
// a lease.
func (s *Store) Lead(ctx context.Context, cluster, me string, ttl time.Duration) (epoch int64, holder string, leader bool, err error) {
	err = s.DB.QueryRow(ctx, qLead, cluster, me, ttl.Microseconds()).Scan(&epoch)
	if err == nil {
		return epoch, me, true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return 0, "", false, accounting.WrapError("leading cluster "+cluster, err)
	}
	err = s.DB.QueryRow(ctx, qHolder, cluster).Scan(&holder, &epoch)
	return epoch, holder, false, accounting.WrapError("asking who leads cluster "+cluster, err)
}

// Resign gives the lease back, if it is ours, so that another daemon need not
// wait for its end.
func (s *Store) Resign(ctx context.Context, cluster, me string) error {
	_, err := s.DB.Exec(ctx, qResign, cluster, me)
	return accounting.WrapError("resigning from cluster "+cluster, err)
}

// RequireLeader makes the transaction fail unless the epoch leads the cluster, and
// keeps it leading until the transaction ends.
func RequireLeader(ctx context.Context, tx pgx.Tx, cluster string, epoch int64) error {
	var now int64
	var holder string
	var alive bool
	err := tx.QueryRow(ctx, qFence, cluster).Scan(&now, &holder, &alive)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: nobody leads cluster %s", bridge.ErrFenced, cluster)
	case err != nil:
		return err
	case now != epoch:
		return fmt.Errorf("%w: %s under epoch %d, ours was %d", bridge.ErrFenced, holder, now, epoch)
	case !alive:
		return fmt.Errorf("%w: our lease of epoch %d ran out", bridge.ErrFenced, epoch)
	}
	return nil
}

// StartCounts counts starts of jobs in a partition by the last decision on each while it waited.
type StartCounts struct {
	Wanted  int `json:"wanted"`  // of jobs that were to start
	Against int `json:"against"` // of jobs that were to wait
	Unseen  int `json:"unseen"`  // of jobs about which nothing was decided
}

// startDays is over how many days starts are counted.
const startDays = 7

var qStarts = sql.QueryText("starts_by_plan")

// CountStarts counts the starts of the seven days before now by partition. Those before which no cycle was stored for
// maxAge are left out: nobody decided then.
func (s *Store) CountStarts(
	ctx context.Context, cluster string, now time.Time, maxAge time.Duration,
) (map[string]*StartCounts, error) {
	byPartition := map[string]*StartCounts{}
	_, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (name string, err error) {
		var c StartCounts
		err = row.Scan(&name, &c.Wanted, &c.Against, &c.Unseen)
		byPartition[name] = &c
		return name, err
	}, qStarts, cluster, now.AddDate(0, 0, -startDays), now, maxAge)
	return byPartition, accounting.WrapError("counting how jobs of cluster "+cluster+" started", err)
}

// Total is how many starts were counted.
func (c *StartCounts) Total() int { return c.Wanted + c.Against + c.Unseen }

// Words says how far plans reach Slurm in a partition that is in a mode now. There must have been a start.
func (c *StartCounts) Words(mode bridge.Mode) string {
	part := func(n int) float64 { return 100 * float64(n) / float64(c.Total()) }
	text := fmt.Sprintf("of %s in %d days the last plan wanted %.0f %%, "+
		"%.0f %% were of jobs that it wanted to wait, %.0f %% no plan saw",
		policy.FormatCount(c.Total(), "start"), startDays, part(c.Wanted), part(c.Against), part(c.Unseen))
	if !mode.Allows(bridge.ModeRank) {
		text += "; nothing is sent in mode " + string(mode)
	}
	return text
}

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

var qTaskOfJob, qJobOfTask = sql.QueryText("task_of_job"), sql.QueryText("job_of_task")

// JobAddress returns a job as its owner knows it: 47_3 for a task of an array, else its id. A
// record of waiting tasks goes by its id too: which tasks it stands for is not recorded.
func (s *Store) JobAddress(ctx context.Context, cluster string, job policy.JobID) (string, error) {
	var array, task int64
	var isTask bool
	err := s.DB.QueryRow(ctx, qTaskOfJob, cluster, int64(job)).Scan(&array, &task, &isTask)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", accounting.WrapError(fmt.Sprintf("reading which task job %d is", job), err)
	}
	if isTask {
		return fmt.Sprintf("%d_%d", array, task), nil
	}
	return fmt.Sprint(int64(job)), nil
}

// FindTask returns the job that was last a task of an array; 0: none is recorded.
func (s *Store) FindTask(ctx context.Context, cluster string, array, task int64) (job int64, err error) {
	err = s.DB.QueryRow(ctx, qJobOfTask, cluster, array, task).Scan(&job)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return job, accounting.WrapError(fmt.Sprintf("looking up task %d of array %d", task, array), err)
}

var qExpiryBeat, qExpiryLast = sql.QueryText("expiry_beat"), sql.QueryText("expiry_last")

// NoteExpirerRun notes that what ends the leavings of a dead daemon runs, and returns who
// leads the cluster, "" for nobody, and how long no daemon has led it, by the
// clock of the database.
func (s *Store) NoteExpirerRun(ctx context.Context, cluster string) (leader string, alone time.Duration, err error) {
	var micro int64
	err = s.DB.QueryRow(ctx, qExpiryBeat, cluster, push.ExpirerNameSuffix).Scan(&micro, &leader)
	return leader, time.Duration(micro) * time.Microsecond, accounting.WrapError("noting that expire runs for cluster "+cluster, err)
}

// TimeSinceExpirerRan returns how long ago Beat was last called for the cluster, by the
// clock of the database; ok is false when it never was.
func (s *Store) TimeSinceExpirerRan(ctx context.Context, cluster string) (ago time.Duration, ok bool, err error) {
	var micro int64
	err = s.DB.QueryRow(ctx, qExpiryLast, cluster).Scan(&micro)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return time.Duration(micro) * time.Microsecond, err == nil, accounting.WrapError("asking when expire last ran for cluster "+cluster, err)
}

// maxRecentRows is the most rows of one subject that ReadRecent returns.
const maxRecentRows = 20_000

var qRecent = map[string]string{
	"cycles": sql.QueryText("support_cycles"), "decisions": sql.QueryText("support_decisions"),
	"ledger": sql.QueryText("support_ledger"),
}

// ReadRecent returns what happened in a cluster since then, each row as JSON. The subject is "cycles" or "decisions",
// newest first, or "ledger", which counts changes by partition, kind and state.
func (s *Store) ReadRecent(ctx context.Context, subject, cluster string, since time.Time) ([]json.RawMessage, error) {
	rows, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (text json.RawMessage, err error) {
		err = row.Scan((*[]byte)(&text))
		return text, err
	}, qRecent[subject], cluster, since, maxRecentRows)
	return rows, accounting.WrapError(fmt.Sprintf("reading the last %s of cluster %s", subject, cluster), err)
}

var qReplaySteered = sql.QueryText("replay_steered")

// ListSteering returns who decided about a partition from since to until, most
// cycles first.
func (s *Store) ListSteering(ctx context.Context, cluster, partition string, since, until time.Time) ([]bridge.PolicyCycleCounts, error) {
	list, err := accounting.CollectRows(ctx, s.DB, pgx.RowToStructByPos[bridge.PolicyCycleCounts], qReplaySteered, cluster, partition, since, until)
	return list, accounting.WrapError(fmt.Sprintf("reading who steered partition %s", partition), err)
}
