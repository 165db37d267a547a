// Package studies keeps what policies would have done with a site's own jobs.
package studies

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/sql"
)

// Study is what policies would have done with the jobs that a partition ran in a stretch of time.
type Study struct {
	ID        int64     `json:"id"`
	Partition string    `json:"partition"`
	Made      time.Time `json:"made"`
	By        string    `json:"by,omitempty"` // who had it made
	Since     time.Time `json:"since"`        // of the jobs
	Until     time.Time `json:"until"`
	Fidelity  string    `json:"fidelity"` // slurm: through a simulated Slurm; exact
	Seeds     int       `json:"seeds"`    // how many times each policy was simulated
	About     string    `json:"about"`    // what was simulated, on what, in sentences
	Accuracy  string    `json:"accuracy"` // how near a simulation of what was done came to what happened, in a sentence
	Remarks   []string  `json:"remarks,omitempty"`
	Lines     []Line    `json:"lines"`
}

// Line is one policy of a study: of all jobs together, and where it was simulated several times the medians. Times are in
// seconds, parts 0..1. Its fields are called as fairbridge-lab compare --json calls them.
type Line struct {
	Policy       string  `json:"policy"`
	Trace        string  `json:"trace,omitempty"`
	JobCount     int     `json:"jobs"`
	MeanJCT      float64 `json:"avg_jct_s"` // from submission to end
	MedianJCT    float64 `json:"median_jct_s"`
	P99JCT       float64 `json:"p99_jct_s"`
	MeanWait     float64 `json:"avg_queue_s"`
	WorstRho     float64 `json:"worst_rho"` // finish-time fairness: above 1 a job took longer than with its share of the cluster alone
	UnfairPart   float64 `json:"unfair_share"`
	Utilization  float64 `json:"utilization"`
	RestartCount int     `json:"restarts"`
	LostGPUHours float64 `json:"lost_gpu_hours"`
	Error        string  `json:"error,omitempty"` // why the policy could not be run; "": it was
}

// Store keeps studies in a database. It is safe for concurrent use.
type Store struct {
	DB *accounting.DB
}

var qAdd, qLast = sql.QueryText("study_add"), sql.QueryText("studies_last")

// AddStudy stores a study, and fills in its ID and Made.
func (s *Store) AddStudy(ctx context.Context, cluster string, x *Study) error {
	remarks := make([]string, len(x.Remarks))
	for i, r := range x.Remarks {
		remarks[i] = value.ValidText(r)
	}
	return s.DB.RunTx(ctx, "storing a study of partition "+x.Partition, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, qAdd, cluster, x.Partition, value.ValidText(x.By), x.Since, x.Until, x.Fidelity, x.Seeds,
			value.ValidText(x.About), value.ValidText(x.Accuracy), remarks, x.Lines).Scan(&x.ID, &x.Made)
	})
}

// LastStudies returns the newest study of each partition that has one, by partition.
func (s *Store) LastStudies(ctx context.Context, cluster string) ([]Study, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (x Study, err error) {
		err = row.Scan(&x.ID, &x.Partition, &x.Made, &x.By, &x.Since, &x.Until, &x.Fidelity, &x.Seeds, &x.About, &x.Accuracy, &x.Remarks, &x.Lines)
		x.Made, x.Since, x.Until = x.Made.UTC(), x.Since.UTC(), x.Until.UTC()
		return x, err
	}, qLast, cluster)
	return list, accounting.WrapError("reading the studies", err)
}
