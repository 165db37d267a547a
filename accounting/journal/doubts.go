package journal

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/sql"
)

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
