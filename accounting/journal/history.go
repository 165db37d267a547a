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
