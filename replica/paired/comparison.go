package paired

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairbridge/replica/measure"
)

// Pair is one policy's run beside the baseline's on the same jobs.
type Pair struct {
	Seed          int64
	Values        []float64 // by figure of the set; NaN: none
	Ratios        []float64 // likewise, to the baseline
	AccountRatios map[string]float64
}

// Comparison is one policy beside the baseline.
type Comparison struct {
	PolicyLabel string
	Pairs       []Pair   // by seed: of those on which both ended
	Spreads     []Spread // by figure: of the ratios, or of the values of those that are no ratios
}

// Spread is what a figure came to on several seeds.
type Spread struct {
	Median, Least, Greatest float64 // NaN: no seed has the figure
	SeedCount               int     // that have it
	BetterCount, WorseCount int     // of them, ratios below and above 1
}

// Compare pairs the runs of a policy with those of the baseline that have the same seed; runs
// without a partner, and nil ones, are left out. The baseline compared with itself has all
// ratios 1.
func (s *Set) Compare(label string, runs, baseline []*measure.Run) Comparison {
	c := Comparison{PolicyLabel: label}
	for _, r := range runs {
		if r == nil {
			continue
		}
		i := slices.IndexFunc(baseline, func(b *measure.Run) bool { return b != nil && b.Seed == r.Seed })
		if i >= 0 {
			c.Pairs = append(c.Pairs, s.newPair(r, baseline[i]))
		}
	}
	for i, f := range s.Figures {
		c.Spreads = append(c.Spreads, newSpread(c.ShownValues(i, f), f.IsRatio))
	}
	return c
}

// ShownValues are, by pair, what is shown of the figure at that index of the set: its ratios, or its values where it
// is no ratio.
func (c *Comparison) ShownValues(index int, f *Figure) []float64 {
	values := make([]float64, len(c.Pairs))
	for k := range c.Pairs {
		if values[k] = c.Pairs[k].Values[index]; f.IsRatio {
			values[k] = c.Pairs[k].Ratios[index]
		}
	}
	return values
}

func (s *Set) newPair(run, baseline *measure.Run) Pair {
	p := Pair{Seed: run.Seed, AccountRatios: AccountRatios(run, baseline)}
	for _, f := range s.Figures {
		p.Values, p.Ratios = append(p.Values, f.ValueOf(run)), append(p.Ratios, f.RatioOf(run, baseline))
	}
	return p
}

// ValueSpreads are the spreads of the values themselves, figure by figure, as the baseline is
// shown.
func (s *Set) ValueSpreads(c *Comparison) []Spread {
	var all []Spread
	for i := range s.Figures {
		values := make([]float64, len(c.Pairs))
		for k := range c.Pairs {
			values[k] = c.Pairs[k].Values[i]
		}
		all = append(all, newSpread(values, false))
	}
	return all
}

// newSpread sums up values, NaN left out; of ratios it counts which side of 1 they are on.
func newSpread(values []float64, areRatios bool) Spread {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(values) == 0 {
		return Spread{Median: math.NaN(), Least: math.NaN(), Greatest: math.NaN()}
	}
	s := Spread{Median: measure.Median(values), Least: slices.Min(values), Greatest: slices.Max(values), SeedCount: len(values)}
	for _, v := range values {
		switch {
		case areRatios && v < 1:
			s.BetterCount++
		case areRatios && v > 1:
			s.WorseCount++
		}
	}
	return s
}

// quantile of values in any order; NaN of none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return measure.Quantile(slices.Sorted(slices.Values(values)), q)
}

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

// FormatRatio prints a ratio in few characters: .98, 1.07, 12.3; – where there is none.
func FormatRatio(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	digits := 2
	if v >= 9.995 {
		digits = 1
	}
	if v >= 99.95 {
		digits = 0
	}
	return strings.TrimPrefix(strconv.FormatFloat(v, 'f', digits, 64), "0")
}

// FormatSpread prints the figure of a policy: the median, the least and greatest where there
// are several seeds, and of a ratio on how many it is better and on how many worse:
// ".91 .80–1.19 14:6".
func (f *Figure) FormatSpread(s Spread) string {
	if !f.IsRatio {
		return f.FormatValues(s)
	}
	if s.SeedCount <= 1 { // which side of 1 it is on shows
		return FormatRatio(s.Median)
	}
	mid, low, high := FormatRatio(s.Median), FormatRatio(s.Least), FormatRatio(s.Greatest)
	if low == high {
		return fmt.Sprintf("%s %d:%d", mid, s.BetterCount, s.WorseCount)
	}
	return fmt.Sprintf("%s %s–%s %d:%d", mid, low, high, s.BetterCount, s.WorseCount)
}

// FormatValues prints the figure itself, as of the baseline: "1234 980–2100".
func (f *Figure) FormatValues(s Spread) string {
	mid, low, high := f.formatValue(s.Median), f.formatValue(s.Least), f.formatValue(s.Greatest)
	if low == high {
		return mid
	}
	return fmt.Sprintf("%s %s–%s", mid, strings.TrimSuffix(low, " %"), high)
}

// formatValue prints one value in a few characters, its unit by the figure.
func (f *Figure) formatValue(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case f.isShare:
		return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
	case f.Group == GroupCost && f.Key != "lost_gpu_hours", v >= 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
