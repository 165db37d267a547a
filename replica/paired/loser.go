package paired

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairbridge/replica/measure"
)

// losesAbove is the ratio above which a seed, a size of jobs or an account is said to lose.
const losesAbove = 1.05

// maxLosersNamed is how many losers of one sort are named; the others are counted.
const maxLosersNamed = 6

// loser is who comes off worse than under the baseline, and by how much.
type loser struct {
	name  string
	ratio float64
}

// DescribeLosers says for whom a policy is worse than the baseline by more than 5 %: seeds by
// their mean completion, sizes of jobs and accounts by their mean slowdown, in the median of
// the seeds on which they had jobs. "" where it is worse for none.
func (s *Set) DescribeLosers(c *Comparison) string {
	var seeds, sizes []loser
	for i, f := range s.Figures {
		switch {
		case f.Key == "mean_completion_s":
			for k := range c.Pairs {
				seeds = append(seeds, loser{fmt.Sprint(c.Pairs[k].Seed), c.Pairs[k].Ratios[i]})
			}
		case f.Group == GroupSize && f.Key != "slowdown_gangs": // their sizes are named
			sizes = append(sizes, loser{f.ColumnHead, c.Spreads[i].Median})
		}
	}
	var parts []string
	for _, sort := range []struct {
		title string
		all   []loser
	}{{"seeds", seeds}, {"jobs of", sizes}, {"accounts", accountLosers(c)}} {
		if text := describeLosers(sort.all); text != "" {
			parts = append(parts, sort.title+" "+text)
		}
	}
	return strings.Join(parts, "; ")
}

// accountLosers are the accounts with the median of their ratios.
func accountLosers(c *Comparison) []loser {
	ratios := map[string][]float64{}
	for i := range c.Pairs {
		for name, v := range c.Pairs[i].AccountRatios {
			ratios[name] = append(ratios[name], v)
		}
	}
	var all []loser
	for _, name := range slices.Sorted(maps.Keys(ratios)) {
		all = append(all, loser{name, measure.Median(ratios[name])})
	}
	return all
}

// describeLosers names those that lose, the worst first.
func describeLosers(all []loser) string {
	all = slices.DeleteFunc(all, func(l loser) bool { return !(l.ratio > losesAbove) })
	slices.SortStableFunc(all, func(a, b loser) int { return cmp.Compare(b.ratio, a.ratio) })
	var names []string
	for _, l := range all[:min(len(all), maxLosersNamed)] {
		names = append(names, fmt.Sprintf("%s %s", cmp.Or(l.name, "(none)"), FormatRatio(l.ratio)))
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
