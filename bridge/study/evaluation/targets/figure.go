package targets

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/paired"
)

// worseAbove is the ratio of mean completion from which a seed is said to be worse than under Slurm
// alone.
const worseAbove = 1.03

// Figure is one thing that is judged: a ratio to Slurm alone on each seed, and how the seeds are put
// together.
type Figure struct {
	Title    string
	JudgedBy string // how seeds are put together, in words
	hasMean  bool   // the geometric mean is shown beside it
	isPart   bool   // of the seeds
	ratiosOf func(b *study.PairedBlock, policyLabel string) []float64
	put      func(ratios []float64) float64
}

// What is judged.
var (
	MeanCompletion  = newMedian("Mean completion time", pairedRatios("mean_completion_s"))
	NodeGangs       = newMedian("Bounded slowdown of gangs of a node or more", nodeGangRatios)
	WorstBelowShare = newMedian("Slowdown of the worst account that used less than its share", pairedRatios("worst_below_share_slowdown"))
	LongestWaits    = newMedian("99 % wait", pairedRatios("p99_wait_s"))
	WorstRho        = newMedian("Worst finish-time fairness", worstRhoRatios)

	// LeastCompletion is what mean completion under no order can be below, with stops or without.
	LeastCompletion = newMedian("Lower bound of mean completion time", leastCompletionRatios)

	WorseSeeds       = &Figure{"Days on which mean completion is above 1.03", "part of the days", false, true, pairedRatios("mean_completion_s"), partWorse}
	MedianCompletion = &Figure{"Mean completion time, median window", "median", false, false, pairedRatios("mean_completion_s"), measure.Median}
	WorstCompletion  = &Figure{"Mean completion time, worst window", "greatest", false, false, pairedRatios("mean_completion_s"), slices.Max[[]float64]}
)

// newMedian is a figure that is judged by the median of its ratios.
func newMedian(title string, ratiosOf func(*study.PairedBlock, string) []float64) *Figure {
	return &Figure{title, "median", true, false, ratiosOf, measure.Median}
}

// pairedRatios are those of a figure of comparisons.
func pairedRatios(key string) func(*study.PairedBlock, string) []float64 {
	return func(b *study.PairedBlock, label string) []float64 {
		k := b.Set.FigureIndex(key)
		var ratios []float64
		for _, p := range pairsOf(b, label) {
			ratios = append(ratios, p.Ratios[k])
		}
		return ratios
	}
}

// nodeGangRatios are those of the mean slowdown of jobs that ask for a node or more.
func nodeGangRatios(b *study.PairedBlock, label string) []float64 {
	node := cluster.MaxGPUsPerNode(b.Scenarios[0].Nodes)
	return runRatios(b, label, func(r *measure.Run) float64 { return slowdownFrom(r, node) })
}

// worstRhoRatios are those of the worst finish-time fairness of a job, by the jobs that were present.
func worstRhoRatios(b *study.PairedBlock, label string) []float64 {
	return runRatios(b, label, func(r *measure.Run) float64 { return slices.Max(r.RhosByJobsPresent()) })
}

// leastCompletionRatios are those of the lower bound of mean completion to the baseline's, whatever the policy.
func leastCompletionRatios(b *study.PairedBlock, _ string) []float64 {
	k := b.Set.FigureIndex("avg_jct_over_bound")
	var ratios []float64
	for _, p := range b.Baseline.Pairs {
		ratios = append(ratios, 1/(1+p.Values[k]))
	}
	return ratios
}

// runRatios are those of what is worked out of a run.
func runRatios(b *study.PairedBlock, label string, of func(*measure.Run) float64) []float64 {
	var ratios []float64
	for _, run := range endedRuns(b, label) {
		for _, base := range endedRuns(b, b.Baseline.PolicyLabel) {
			if base.Seed == run.Seed {
				ratios = append(ratios, of(run)/of(base))
			}
		}
	}
	return ratios
}

// endedRuns are those of a policy.
func endedRuns(b *study.PairedBlock, label string) []*measure.Run {
	for i := range b.Results {
		if b.Results[i].Label == label {
			return b.Results[i].Ended
		}
	}
	return nil
}

// slowdownFrom is the mean bounded slowdown of jobs of so many GPUs or more; NaN where there are none.
func slowdownFrom(r *measure.Run, gpus int) float64 {
	return stat.Mean(paired.Slowdowns(r, gpus, math.MaxInt), nil)
}

// partWorse is the part of the seeds that are worse than under Slurm alone.
func partWorse(ratios []float64) float64 {
	worse := 0
	for _, r := range ratios {
		if r > worseAbove {
			worse++
		}
	}
	return float64(worse) / float64(len(ratios))
}
