package targets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/paired"
)

// Value is what a figure came to under one policy. Figures are NaN where SeedCount is 0.
type Value struct {
	*Figure
	SeedCount     int     // that have the figure
	Judged        float64 // what the ratios are put together to
	StandardError float64 // of Judged, by the spread of the seeds; NaN for fewer than two
	Median        float64
	LowerQuartile float64
	UpperQuartile float64
}

// Measure returns what a figure came to under a policy; it reads what became of each job.
func (f *Figure) Measure(b *study.PairedBlock, policyLabel string) Value {
	return f.newValue(f.ratiosOf(b, policyLabel))
}

// newValue puts ratios together; those that are none are left out.
func (f *Figure) newValue(ratios []float64) Value {
	ratios = slices.DeleteFunc(slices.Clone(ratios), func(r float64) bool { return math.IsNaN(r) || math.IsInf(r, 0) })
	none := math.NaN()
	v := Value{f, len(ratios), none, none, none, none, none}
	if v.SeedCount == 0 {
		return v
	}
	slices.Sort(ratios)
	v.Judged, v.Median = f.put(ratios), measure.Median(ratios)
	v.LowerQuartile, v.UpperQuartile = measure.Quantile(ratios, 0.25), measure.Quantile(ratios, 0.75)
	if f.HasError && v.SeedCount > 1 {
		sum := 0.0
		for _, r := range ratios {
			d := math.Log(r) - math.Log(v.Judged)
			sum += d * d
		}
		n := float64(v.SeedCount)
		v.StandardError = v.Judged * math.Sqrt(sum/(n-1)/n)
	}
	return v
}

// Shown is Judged, rounded as it is printed.
func (v *Value) Shown() float64 { return math.Round(1000*v.Judged) / 1000 }

// String prints what is judged: ".899 ± .031", or "2 of 20".
func (v *Value) String() string {
	switch {
	case v.SeedCount == 0:
		return "–"
	case v.isPart:
		return fmt.Sprintf("%.0f of %d", v.Judged*float64(v.SeedCount), v.SeedCount)
	case math.IsNaN(v.StandardError):
		return formatExactly(v.Judged)
	}
	return formatExactly(v.Judged) + " ± " + formatExactly(v.StandardError)
}

// FormatWanted prints the most that the figure may come to: ".90", or "5 %".
func (f *Figure) FormatWanted(most float64) string {
	if f.isPart {
		return fmt.Sprintf("%.0f %%", 100*most)
	}
	return paired.FormatRatio(most)
}

func formatExactly(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0") }

// FormatQuartiles prints the median and the quartiles: ".92 (.81–.98)".
func (v *Value) FormatQuartiles() string {
	if v.SeedCount == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s–%s)", paired.FormatRatio(v.Median), paired.FormatRatio(v.LowerQuartile), paired.FormatRatio(v.UpperQuartile))
}
