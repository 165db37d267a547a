package guard

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/sql"
)

// RecordedDemotion is a demotion and how it ended.
type RecordedDemotion struct {
	bridge.Demotion
	Cleared    time.Time `json:"cleared,omitzero"` // zero: no person cleared it
	ClearedBy  string    `json:"cleared_by,omitempty"`
	ClearedWhy string    `json:"cleared_why,omitempty"`
	Stands     bool      `json:"stands"`
}

var (
	qDemote, qDemotions = sql.QueryText("demote"), sql.QueryText("demotions")
	qActive, qClear     = sql.QueryText("demotions_active"), sql.QueryText("demotions_clear")
)

// Demote stores a demotion; false: the partition, or the candidate that it names, is demoted already.
func (s *Store) Demote(ctx context.Context, cluster string, d bridge.Demotion) (bool, error) {
	tag, err := s.DB.Exec(ctx, qDemote, cluster, d.Partition, d.Since, value.NullIfZero(d.Until), value.ValidText(d.By), value.ValidText(d.Why), value.ValidText(d.Candidate))
	return err == nil && tag.RowsAffected() > 0, accounting.WrapError("demoting partition "+d.Partition, err)
}

// ClearDemotion ends what demotes a partition or a candidate of its canary, and says by whom and why; false: nothing did.
// A mode that an operator lowered stays lowered.
func (s *Store) ClearDemotion(ctx context.Context, cluster, partition, by, why string) (bool, error) {
	tag, err := s.DB.Exec(ctx, qClear, cluster, partition, value.ValidText(by), value.ValidText(why))
	return err == nil && tag.RowsAffected() > 0, accounting.WrapError("clearing the demotion of partition "+partition, err)
}

// ActiveDemotions returns those that stand now, by the database's clock.
func (s *Store) ActiveDemotions(ctx context.Context, cluster string) ([]bridge.Demotion, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (d bridge.Demotion, err error) {
		var until *time.Time
		err = row.Scan(&d.Partition, &d.Candidate, &d.Since, &until, &d.By, &d.Why, &d.Mode, &d.Action)
		d.Since, d.Until = d.Since.UTC(), value.TimeOrZero(until)
		return d, err
	}, qActive, cluster)
	return list, accounting.WrapError("reading which partitions are demoted", err)
}

// ListDemotions returns those that stood after a moment, the newest first.
func (s *Store) ListDemotions(ctx context.Context, cluster string, after time.Time) ([]RecordedDemotion, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (d RecordedDemotion, err error) {
		var until, cleared *time.Time
		err = row.Scan(&d.Partition, &d.Candidate, &d.Since, &until, &d.By, &d.Why, &d.Mode, &d.Action, &cleared, &d.ClearedBy, &d.ClearedWhy, &d.Stands)
		d.Since, d.Until, d.Cleared = d.Since.UTC(), value.TimeOrZero(until), value.TimeOrZero(cleared)
		return d, err
	}, qDemotions, cluster, after)
	return list, accounting.WrapError("reading the demotions", err)
}
