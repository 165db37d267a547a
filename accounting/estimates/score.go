package estimates

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/sql"
)

// Score is how good estimates of starts and ends were in a partition in the last 30 days: of jobs that
// started, at the looks whose start seemed about so far ahead.
type Score struct {
	MoreThan    Seconds `json:"more_than_s"`         // ahead
	AtMost      Seconds `json:"at_most_s,omitempty"` // ahead; 0: without bound
	LookCount   int     `json:"looks"`
	HeldPart    float64 `json:"held"`  // 0..1, of starts that came within the band; 0.8 is meant
	EarlyPart   float64 `json:"early"` // of those before it
	LatePart    float64 `json:"late"`  // of those after it
	MedianError Seconds `json:"median_error_s"`
	// At the looks at which Slurm had an estimate, too: their count, our median error and Slurm's.
	WithSlurmCount       int     `json:"looks_with_slurm"`
	MedianErrorWithSlurm Seconds `json:"median_error_with_slurm_s"`
	SlurmMedianError     Seconds `json:"slurm_median_error_s"`
	// Of the ends of those looks whose job has ended: their count, and the same of their bands.
	EndCount       int     `json:"ends"`
	EndHeldPart    float64 `json:"end_held"`
	EndEarlyPart   float64 `json:"end_early"`
	EndLatePart    float64 `json:"end_late"`
	EndMedianError Seconds `json:"end_median_error_s"`
}

// Seconds is a time span in seconds.
type Seconds float64

// Duration returns the time span, to the second.
func (s Seconds) Duration() time.Duration {
	return policy.DurationFromSeconds(float64(s)).Round(time.Second)
}

var qScore = sql.QueryText("job_estimate_score")

// Score returns how good estimates of a partition were whose start seemed about so far ahead as that of
// a band which was estimated at a moment; nil: nothing is known yet.
func (s *Store) Score(ctx context.Context, cluster, partition string, madeAt time.Time, start estimate.Band) (*Score, error) {
	var out Score
	i := estimate.HorizonOf(start.Middle.Sub(madeAt))
	if i > 0 {
		out.MoreThan = Seconds(estimate.Horizons[i-1].Seconds())
	}
	if i < len(estimate.Horizons) {
		out.AtMost = Seconds(estimate.Horizons[i].Seconds())
	}
	err := s.DB.QueryRow(ctx, qScore, cluster, partition, i+1).Scan(&out.LookCount, &out.HeldPart, &out.EarlyPart, &out.LatePart,
		&out.MedianError, &out.WithSlurmCount, &out.MedianErrorWithSlurm, &out.SlurmMedianError,
		&out.EndCount, &out.EndHeldPart, &out.EndEarlyPart, &out.EndLatePart, &out.EndMedianError)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, accounting.WrapError("reading how good estimates of starts in partition "+partition+" were", err)
	}
	return &out, nil
}

// calibrationPeriod is how far back calibration looks.
const calibrationPeriod = 30 * 24 * time.Hour

// ReadCalibration returns how bands of a partition are to be moved, by what came of its estimates of the
// last 30 days, and how chances are to be corrected, by what came of its promises of the last half year.
func (s *Store) ReadCalibration(ctx context.Context, cluster, partition string, now time.Time) (*estimate.Calibration, error) {
	past, err := s.EstimateOutcomes(ctx, cluster, partition, now.Add(-calibrationPeriod))
	if err != nil {
		return nil, err
	}
	promises, err := s.promiseOutcomes(ctx, cluster, partition, now)
	if err != nil {
		return nil, err
	}
	c := estimate.NewCalibration(past, now)
	c.LearnPromises(promises)
	return c, nil
}
