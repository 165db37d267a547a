// Package published holds the figures of the Shockwave artifact's simulator, to
// be read beside ours on the same traces.
package published

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/workload"
)

// ResultRow is one published result. Times are seconds, shares 0..1.
type ResultRow struct {
	Name        string  `json:"name"` // as published
	OurPolicy   string  `json:"-"`    // the policy of our catalogue that is the same, as a command line names it
	Source      string  `json:"source"`
	Makespan    float64 `json:"makespan_s"`
	AvgJCT      float64 `json:"avg_jct_s"`
	WorstRho    float64 `json:"worst_rho"`
	MeanRho     float64 `json:"mean_rho"`
	UnfairShare float64 `json:"unfair_share"`
	Utilization float64 `json:"utilization"`
	WallSeconds float64 `json:"wall_s,omitempty"` // of the published simulator on two cores; 0: not measured
}

// The sources.
const (
	ArtifactSource = "result files of the Shockwave artifact (NSDI 2023), simulation"
	RerunSource    = "the Shockwave artifact's simulator, run again with open solvers"
)

// ResultSet are the results on one trace and cluster.
type ResultSet struct {
	Title       string
	JobCount    int
	ClusterGPUs int
	jobsHash    string
	Rows        []ResultRow
}

// FindResultSet returns the results for these jobs on so many GPUs, or nil. Jobs are
// known by what they are, wherever they were read from.
func FindResultSet(jobs []workload.Job, gpus int) *ResultSet {
	for i := range resultSets {
		if s := &resultSets[i]; s.JobCount == len(jobs) && s.ClusterGPUs == gpus && s.jobsHash == HashJobs(jobs) {
			return s
		}
	}
	return nil
}

// HashJobs is a short name of what the jobs are: arrival, size and work.
func HashJobs(jobs []workload.Job) string {
	h := sha256.New()
	for i := range jobs {
		j := &jobs[i]
		fmt.Fprintf(h, "%.3f %d %q", j.Arrive, j.GPUs, j.Class)
		if t := j.Training; t != nil {
			fmt.Fprintf(h, " %s %d", t.Mode, t.Steps)
		} else {
			fmt.Fprintf(h, " %.3f", j.Duration)
		}
		fmt.Fprintln(h)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Summary returns the row as figures of ours; those that were not published
// are not numbers.
func (r *ResultRow) Summary() measure.Summary {
	no := math.NaN()
	s := measure.Summary{
		Policy: r.Name, Makespan: r.Makespan, AvgJCT: r.AvgJCT, WorstRho: r.WorstRho, MeanRho: r.MeanRho, UnfairShare: r.UnfairShare,
		Utilization: r.Utilization, WallSeconds: r.WallSeconds, MedianJCT: no, P99JCT: no, AvgQueueSeconds: no, LostGPUHours: no, MeanSlowdown: no, WorstAccountSlowdown: no, RestartCount: -1,
		MakespanOverBound: no, AvgJCTOverBound: no, WorstPresentRho: no, MeanPresentRho: no, MeanPredictionError: no, P99PredictionError: no,
	}
	if r.WallSeconds == 0 {
		s.WallSeconds = no
	}
	return s
}
