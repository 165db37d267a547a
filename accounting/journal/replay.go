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
	"fairbridge/policy"
	"fairbridge/sql"
)

// StoredCycle is a cycle that can be decided again.
type StoredCycle struct {
	Seq             uint64
	Epoch           int64
	At              time.Time
	Mode            bridge.Mode
	Policy, Params  string
	SnapshotDigest  string // SHA-256 of Snapshot, hex
	PlanDigest      string // bridge.DigestPlan of the plan the gate let through
	RedecidedDigest string // what bridge.DigestPlan must give for the plan decided anew; "": an older release stored it
	Refusals        []bridge.Refusal
	SnapshotJSON    []byte // canonical JSON
}

// ParseSnapshot returns what the cycle saw.
func (c *StoredCycle) ParseSnapshot() (*policy.Snapshot, error) {
	s := &policy.Snapshot{}
	if err := json.Unmarshal(c.SnapshotJSON, s); err != nil {
		return nil, fmt.Errorf("reading the snapshot of cycle %d: %w", c.Seq, err)
	}
	return s, nil
}

// RecordedDecision is what a cycle decided about a job. Ranks and reasons are kept only
// where something else changed too.
type RecordedDecision struct {
	JobID     policy.JobID `json:"job"`
	Verb      policy.Verb  `json:"verb"`
	GPUs      int          `json:"gpus"`
	Placement string       `json:"on,omitempty"` // "n1:4×a100"
	ForJob    policy.JobID `json:"for,omitempty"`
}

// NewRecordedDecision is the decision as it would be recorded.
func NewRecordedDecision(d *policy.Decision) RecordedDecision {
	return RecordedDecision{d.Job, d.Verb, d.GPUs, value.ValidText(d.On.String()), d.StoppedFor}
}

// Why a stored cycle cannot be decided again.
var (
	ErrNoCycle    = errors.New("no such cycle is stored")
	ErrNoSnapshot = errors.New("the snapshot of this cycle is past its retention; only its digest is left")
)

var qReplay, qReplayDecisions = sql.QueryText("replay_cycle"), sql.QueryText("replay_decisions")

// ReadCycle reads a stored cycle of a partition; seq 0 is the last. The snapshot
// is checked against its digest.
func (s *Store) ReadCycle(ctx context.Context, cluster, partition string, seq uint64) (*StoredCycle, error) {
	doing := fmt.Sprintf("reading cycle %d of partition %s", seq, partition)
	var c StoredCycle
	var n int64
	var packed, refused []byte
	err := s.DB.QueryRow(ctx, qReplay, cluster, partition, int64(seq)).Scan(&n, &c.Epoch, &c.At, &c.Mode, &c.Policy, &c.Params, &c.SnapshotDigest, &c.PlanDigest, &c.RedecidedDigest, &refused, &packed)
	switch {
	case errors.Is(err, pgx.ErrNoRows) && seq == 0:
		return nil, fmt.Errorf("reading the last cycle of partition %s: %w yet: does the daemon run?", partition, ErrNoCycle)
	case errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("%s: %w; cycle 0 is the last", doing, ErrNoCycle)
	case err != nil:
		return nil, accounting.WrapError(doing, err)
	case packed == nil:
		return nil, fmt.Errorf("%s: %w", doing, ErrNoSnapshot)
	}
	c.Seq, c.At = uint64(n), c.At.UTC()
	if err := json.Unmarshal(refused, &c.Refusals); err != nil {
		return nil, fmt.Errorf("%s: what the gate refused: %w", doing, err)
	}
	if c.SnapshotJSON, err = value.Gunzip(packed); err != nil {
		return nil, fmt.Errorf("%s: unpacking its snapshot: %w", doing, err)
	}
	if bridge.DigestText(c.SnapshotJSON) != c.SnapshotDigest {
		return nil, fmt.Errorf("%s: its snapshot does not have the digest %s that was stored with it", doing, c.SnapshotDigest)
	}
	return &c, nil
}

// ReadDecisions returns what was decided about the jobs as of a cycle, by job, as far
// as it is kept.
func (s *Store) ReadDecisions(ctx context.Context, cluster, partition string, seq uint64, jobs []policy.JobID) ([]RecordedDecision, error) {
	list, err := accounting.CollectRows(ctx, s.DB, pgx.RowToStructByPos[RecordedDecision], qReplayDecisions, cluster, partition, int64(seq), jobs)
	return list, accounting.WrapError(fmt.Sprintf("reading the decisions of cycle %d of partition %s", seq, partition), err)
}
