// Package published holds the figures of the Shockwave artifact's simulator, to
// be read beside ours on the same traces.
package published

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
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

// Policies of the artifact and how a command line names ours.
const (
	proportionalPolicy = "proportional"
	maxMinPolicy       = "gavel"
	finishTimePolicy   = "gavel:objective=finish-time-fairness"
	throughputPolicy   = "gavel:objective=throughput"
	makespanPolicy     = "gavel:objective=makespan"
	alloxPolicy        = "allox"
	shockwavePolicy    = "shockwave"
)

var resultSets = []ResultSet{
	{"Shockwave artifact, 120 jobs on 32 GPUs", 120, 32, "bf1e26126e902c44", []ResultRow{
		{"gandiva_fair", proportionalPolicy, ArtifactSource, 32367.434, 12574.272, 1.85361, 1.016911, 0.51667, 0.61049, 0},
		{"max_min_fairness", maxMinPolicy, ArtifactSource, 33207.663, 11274.117, 2.94699, 0.89975, 0.25, 0.59489, 0},
		{"finish_time_fairness", finishTimePolicy, ArtifactSource, 31928.739, 11301.977, 3.43763, 0.888782, 0.225, 0.61871, 0},
		{"allox", alloxPolicy, ArtifactSource, 32488.621, 9926.307, 4.96351, 0.972573, 0.275, 0.60813, 0},
		{"max_sum_throughput_perf", throughputPolicy, ArtifactSource, 31909.031, 9654.7, 4.97576, 0.827592, 0.25, 0.61912, 0},
		{"min_total_duration", makespanPolicy, ArtifactSource, 24204.816, 19806.728, 7.74147, 2.113743, 0.74167, 0.81612, 0},
		{"shockwave", shockwavePolicy, ArtifactSource, 24197.424, 9958.486, 1.78379, 0.745757, 0.05, 0.81711, 120},
		{"shockwave, its better run", shockwavePolicy, ArtifactSource, 23399.413, 9943.751, 1.49627, 0.743858, 0.04167, 0.83714, 0},
	}},
	{"Shockwave artifact, 220 jobs on 64 GPUs", 220, 64, "a6cc9a8073f796c8", []ResultRow{
		{"gandiva_fair", proportionalPolicy, RerunSource, 31472.088, 10895.259, 1.77768, 0.953684, 0.4, 0.65698, 9.5},
		{"max_min_fairness", maxMinPolicy, RerunSource, 33872.299, 9225.561, 3.37839, 0.81816, 0.15455, 0.61019, 9.6},
		{"finish_time_fairness", finishTimePolicy, RerunSource, 32452.466, 9885.037, 3.18488, 0.872781, 0.23636, 0.63696, 12.1},
		{"allox", alloxPolicy, RerunSource, 33872.463, 8133.651, 3.20634, 0.792337, 0.22273, 0.61032, 7.1},
		{"max_sum_throughput_perf", throughputPolicy, RerunSource, 35918.918, 9310.465, 6.86701, 0.913201, 0.25, 0.5762, 10.1},
		{"min_total_duration", makespanPolicy, RerunSource, 25292.737, 19777.288, 8.73554, 2.318042, 0.77273, 0.81745, 14.0},
		{"shockwave", shockwavePolicy, RerunSource, 24815.403, 8523.675, 2.48439, 0.696905, 0.05455, 0.83341, 365},
	}},
}

// WallTimes is how long the Shockwave artifact's simulator took on two cores of the
// kind our figures are from, in seconds, on its traces of four sizes. 0: not
// measured.
type WallTimes struct {
	Name          string
	OurPolicy     string
	SecondsBySize [4]float64 // as WallTimeSizes
}

// WorkloadSize is the size of a trace of the artifact.
type WorkloadSize struct{ JobCount, ClusterGPUs int }

// WallTimeSizes are the sizes of the artifact's traces.
var WallTimeSizes = [4]WorkloadSize{{120, 32}, {220, 64}, {460, 128}, {900, 256}}

// PolicyWallTimes are the policies whose times were measured.
var PolicyWallTimes = []WallTimes{
	{"gandiva_fair", proportionalPolicy, [4]float64{0, 9.5, 21.8, 31.8}},
	{"max_min_fairness", maxMinPolicy, [4]float64{0, 9.6, 23.0, 39.9}},
	{"finish_time_fairness", finishTimePolicy, [4]float64{0, 12.1, 22.4, 41.1}},
	{"max_sum_throughput_perf", throughputPolicy, [4]float64{0, 10.1, 16.5, 17.8}},
	{"min_total_duration", makespanPolicy, [4]float64{0, 14.0, 39.8, 61.4}},
	{"allox", alloxPolicy, [4]float64{0, 7.1, 8.4, 0}},
	{"shockwave", shockwavePolicy, [4]float64{120, 365, 0, 0}},
}
