package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/policy"
	"fairbridge/sql"
)

// maxReplaySnapshots is how many snapshots are looked through for what owners said.
const maxReplaySnapshots = 300

var qReplaySnapshots = sql.QueryText("replay_snapshots")

// LastSeenJobs returns jobs of a partition as policies saw them while they ran: what
// their owners said is in no other record. Jobs that some snapshot showed waiting for what no
// policy decides have its HeldReason, and as EligibleAt the last time they were seen so; those
// never seen running have nothing else. Some stored snapshots are looked through, so that short
// jobs, and those of cycles past their retention, are missing.
func (s *Store) LastSeenJobs(ctx context.Context, cluster, partition string, since, until time.Time) (map[policy.JobID]policy.Job, error) {
	doing := "looking through the snapshots of partition " + partition
	rows, err := s.DB.Query(ctx, qReplaySnapshots, cluster, partition, since, until, maxReplaySnapshots)
	if err != nil {
		return nil, accounting.WrapError(doing, err)
	}
	defer rows.Close()
	seen := seenJobs{}
	for rows.Next() {
		var packed []byte
		if err := rows.Scan(&packed); err != nil {
			return nil, accounting.WrapError(doing, err)
		}
		text, err := value.Gunzip(packed)
		if err != nil {
			return nil, fmt.Errorf("%s: unpacking one: %w", doing, err)
		}
		var s seenSnapshot
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("%s: reading one: %w", doing, err)
		}
		seen.add(&s)
	}
	return seen, accounting.WrapError(doing, rows.Err())
}

// seenSnapshot is what is read of a snapshot.
type seenSnapshot struct {
	Now  time.Time    `json:"now"`
	Jobs []policy.Job `json:"jobs"`
}

// seenJobs are jobs as snapshots showed them.
type seenJobs map[policy.JobID]policy.Job

// add adds what a snapshot shows, later than those before.
func (m seenJobs) add(s *seenSnapshot) {
	for i := range s.Jobs {
		j := s.Jobs[i]
		was, known := m[j.ID]
		if known = known && was.Arrive.Equal(j.Arrive); !known {
			was = policy.Job{ID: j.ID, Arrive: j.Arrive, UnstoppableReason: "it was not seen running"}
		}
		switch {
		case j.State == policy.Running:
			j.HeldReason, j.EligibleAt = was.HeldReason, was.EligibleAt
			m[j.ID] = j
		case j.State == policy.Pending && j.HeldReason != "":
			was.HeldReason, was.EligibleAt = j.HeldReason, s.Now
			m[j.ID] = was
		}
	}
}
