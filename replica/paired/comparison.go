package paired

import (
	"math"
	"slices"

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
