// Package guard keeps what the harm guard measured, and which partitions are demoted.
package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/bridge/harm"
	"fairbridge/sql"
)

// Store keeps checks and demotions in a database. It is safe for concurrent use.
type Store struct {
	DB *accounting.DB
}

var qCheckPut, qChecks, qLive = sql.QueryText("guard_check_put"), sql.QueryText("guard_checks"), sql.QueryText("guard_live")

// PutCheck stores a check.
func (s *Store) PutCheck(ctx context.Context, cluster string, c *harm.Check) error {
	const doing = "storing a check of the harm guard"
	figures, err := json.Marshal(knownFigures(c.Figures))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	_, err = s.DB.Exec(ctx, qCheckPut, cluster, c.Partition, c.At, string(c.Verdict), validTexts(c.Reasons), value.NullIfZero(c.Since), value.NullIfZero(c.Until),
		value.ValidText(c.Policy), string(c.Mode), c.JobCount, c.StopCount, c.SeedCount, string(figures), validTexts(c.Remarks))
	return accounting.WrapError(doing, err)
}

// knownFigures are those that are numbers: JSON has no other.
func knownFigures(figures []harm.Figure) []harm.Figure {
	known := []harm.Figure{}
	for _, f := range figures {
		if sum := f.Live + f.Alone + f.OwnError + f.Band + f.Bound; !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			known = append(known, f)
		}
	}
	return known
}

func validTexts(texts []string) []string {
	valid := make([]string, len(texts))
	for i, t := range texts {
		valid[i] = value.ValidText(t)
	}
	return valid
}

// ListChecks returns the checks of a partition ("": of all) after a moment, the newest first, at
// most so many.
func (s *Store) ListChecks(ctx context.Context, cluster, partition string, after time.Time, limit int) ([]harm.Check, error) {
	list, err := accounting.CollectRows(ctx, s.DB, scanCheck, qChecks, cluster, partition, after, limit)
	return list, accounting.WrapError("reading the checks of the harm guard", err)
}

func scanCheck(row pgx.CollectableRow) (c harm.Check, err error) {
	var since, until *time.Time
	var figures []byte
	err = row.Scan(&c.Partition, &c.At, &c.Verdict, &c.Reasons, &since, &until, &c.Policy, &c.Mode, &c.JobCount, &c.StopCount, &c.SeedCount, &figures, &c.Remarks)
	if err == nil {
		err = json.Unmarshal(figures, &c.Figures)
	}
	c.At, c.Since, c.Until = c.At.UTC(), value.TimeOrZero(since), value.TimeOrZero(until)
	return c, err
}

// Stretch is the time since a partition is as it was in its last cycle.
type Stretch struct {
	Mode           bridge.Mode
	Policy, Params string
	Since          time.Time
	// LiveSince is since when it is in that mode and decided by one of those that take turns; Since,
	// if the last one is none of them.
	LiveSince   time.Time
	LastCycleAt time.Time
}

// ReadStretch looks back to a moment; nil: no cycle is stored since. turns are who take turns to
// decide, as under a canary.
func (s *Store) ReadStretch(ctx context.Context, cluster, partition string, from time.Time, turns ...bridge.Decider) (*Stretch, error) {
	policies, params := make([]string, len(turns)), make([]string, len(turns))
	for i := range turns {
		policies[i], params[i] = turns[i].Policy, turns[i].Params
	}
	var x Stretch
	err := s.DB.QueryRow(ctx, qLive, cluster, partition, from, policies, params).Scan(&x.Mode, &x.Policy, &x.Params, &x.LastCycleAt, &x.Since, &x.LiveSince)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	x.Since, x.LiveSince, x.LastCycleAt = x.Since.UTC(), x.LiveSince.UTC(), x.LastCycleAt.UTC()
	return &x, accounting.WrapError("reading since when partition "+partition+" is live", err)
}

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
