package targets

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/paired"
	"fairbridge/policy"
)

// mostLosersNamed is how many losers of a sort are named.
const mostLosersNamed = 3

// loser is who comes off worse than under Slurm alone, and by how much.
type loser struct {
	name  string
	ratio float64
}

// WorstSeeds names the seeds whose mean completion is above 1.03, the worst first; "none" where there
// is none.
func WorstSeeds(b *study.PairedBlock, policyLabel string) string {
	k := b.Set.FigureIndex("mean_completion_s")
	var all []loser
	for _, p := range pairsOf(b, policyLabel) {
		all = append(all, loser{fmt.Sprint(p.Seed), p.Ratios[k]})
	}
	return nameLosers(all, worseAbove)
}

// WorstAccounts names the accounts that come off worst of those that used less than their share, one
// a seed, with the seed and how many jobs the account had there.
func WorstAccounts(b *study.PairedBlock, policyLabel string) string {
	k := b.Set.FigureIndex("worst_below_share_slowdown")
	var all []loser
	for _, p := range pairsOf(b, policyLabel) {
		for _, name := range slices.Sorted(maps.Keys(p.AccountRatios)) {
			if ratio := p.AccountRatios[name]; ratio == p.Ratios[k] {
				all = append(all, loser{fmt.Sprintf("%s on %d (%s)", cmp.Or(name, "(none)"), p.Seed, countJobs(b, p.Seed, name)), ratio})
				break
			}
		}
	}
	most, _ := MostWanted(Days, WorstBelowShare, b.OfferedLoad, *b.StoppableShare)
	return nameLosers(all, most)
}

// countJobs says how many jobs an account has on a seed.
func countJobs(b *study.PairedBlock, seed int64, account string) string {
	n := 0
	for _, run := range endedRuns(b, b.Baseline.PolicyLabel) {
		for i := range run.JobOutcomes {
			if run.Seed == seed && run.JobOutcomes[i].Account == account {
				n++
			}
		}
	}
	return policy.FormatCount(n, "job")
}

// nameLosers names those above a ratio, the worst first.
func nameLosers(all []loser, above float64) string {
	all = slices.DeleteFunc(all, func(l loser) bool { return !(l.ratio > above) })
	slices.SortStableFunc(all, func(a, b loser) int { return cmp.Compare(b.ratio, a.ratio) })
	var names []string
	for _, l := range all[:min(len(all), mostLosersNamed)] {
		names = append(names, l.name+": "+paired.FormatRatio(l.ratio))
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// SizeRatio is how the mean slowdown of jobs of a size changes, in the median of the seeds.
type SizeRatio struct {
	Title string
	Ratio float64 // NaN: there are no such jobs
}

// SizeRatios are those of all sizes that are told apart.
func SizeRatios(b *study.PairedBlock, policyLabel string) []SizeRatio {
	var all []SizeRatio
	for k, f := range b.Set.Figures {
		if f.Group != paired.GroupSize || f.Key == "slowdown_gangs" { // their sizes are named
			continue
		}
		ratio := math.NaN()
		for i := range b.Comparisons {
			if b.Comparisons[i].PolicyLabel == policyLabel {
				ratio = b.Comparisons[i].Spreads[k].Median
			}
		}
		all = append(all, SizeRatio{f.ColumnHead, ratio})
	}
	return all
}

// pairsOf are the seeds of a policy.
func pairsOf(b *study.PairedBlock, label string) []paired.Pair {
	for i := range b.Comparisons {
		if b.Comparisons[i].PolicyLabel == label {
			return b.Comparisons[i].Pairs
		}
	}
	return nil
}
