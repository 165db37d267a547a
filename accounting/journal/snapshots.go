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
// their owners said is in no other record. Some stored snapshots are looked
// through, so that short jobs, and those of cycles past their retention, are
// missing.
func (s *Store) LastSeenJobs(ctx context.Context, cluster, partition string, since, until time.Time) (map[policy.JobID]policy.Job, error) {
	doing := "looking through the snapshots of partition " + partition
	rows, err := s.DB.Query(ctx, qReplaySnapshots, cluster, partition, since, until, maxReplaySnapshots)
	if err != nil {
		return nil, accounting.WrapError(doing, err)
	}
	defer rows.Close()
	out := map[policy.JobID]policy.Job{}
	for rows.Next() {
		var packed []byte
		if err := rows.Scan(&packed); err != nil {
			return nil, accounting.WrapError(doing, err)
		}
		text, err := value.Gunzip(packed)
		if err != nil {
			return nil, fmt.Errorf("%s: unpacking one: %w", doing, err)
		}
		var s struct {
			Jobs []policy.Job `json:"jobs"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("%s: reading one: %w", doing, err)
		}
		for i := range s.Jobs {
			if j := &s.Jobs[i]; j.State == policy.Running {
				out[j.ID] = *j
			}
		}
	}
	return out, accounting.WrapError(doing, rows.Err())
}
