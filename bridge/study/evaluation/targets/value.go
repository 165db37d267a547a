package targets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/paired"
)

// Value is what a figure came to under one policy. Figures are NaN where SeedCount is 0.
type Value struct {
	*Figure
	SeedCount     int     // that have the figure
	Judged        float64 // what the ratios are put together to
	GeometricMean float64
	StandardError float64 // of GeometricMean, by the spread of the seeds; NaN for fewer than two
	LowerQuartile float64
	UpperQuartile float64
}

// Measure returns what a figure came to under a policy; it reads what became of each job.
func (f *Figure) Measure(b *study.PairedBlock, policyLabel string) Value {
	return f.ValueOf(f.ratiosOf(b, policyLabel))
}

// ValueOf puts ratios together; those that are none are left out.
func (f *Figure) ValueOf(ratios []float64) Value {
	ratios = slices.DeleteFunc(slices.Clone(ratios), func(r float64) bool { return math.IsNaN(r) || math.IsInf(r, 0) })
	none := math.NaN()
	v := Value{f, len(ratios), none, none, none, none, none}
	if v.SeedCount == 0 {
		return v
	}
	slices.Sort(ratios)
	v.Judged, v.GeometricMean = f.put(ratios), stat.GeometricMean(ratios, nil)
	v.LowerQuartile, v.UpperQuartile = measure.Quantile(ratios, 0.25), measure.Quantile(ratios, 0.75)
	if v.SeedCount > 1 {
		logs := make([]float64, len(ratios))
		for i, r := range ratios {
			logs[i] = math.Log(r)
		}
		v.StandardError = v.GeometricMean * stat.StdErr(stat.StdDev(logs, nil), float64(v.SeedCount))
	}
	return v
}

// Shown is Judged, rounded as it is printed.
func (v *Value) Shown() float64 { return math.Round(1000*v.Judged) / 1000 }

// String prints what is judged: ".899", or "2 of 20".
func (v *Value) String() string {
	switch {
	case v.SeedCount == 0:
		return "–"
	case v.isPart:
		return fmt.Sprintf("%.0f of %d", v.Judged*float64(v.SeedCount), v.SeedCount)
	}
	return formatExactly(v.Judged)
}

// FormatWanted prints the most that the figure may come to: ".90", or "5 %".
func (f *Figure) FormatWanted(most float64) string {
	if f.isPart {
		return fmt.Sprintf("%.0f %%", 100*most)
	}
	return paired.FormatRatio(most)
}

func formatExactly(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0") }

// FormatSpread prints the quartiles, and the geometric mean with its standard error where that is
// shown: ".81–.98; .899 ± .031".
func (v *Value) FormatSpread() string {
	if v.SeedCount == 0 {
		return "–"
	}
	text := paired.FormatRatio(v.LowerQuartile) + "–" + paired.FormatRatio(v.UpperQuartile)
	if v.hasMean {
		text += "; " + formatExactly(v.GeometricMean)
	}
	if v.hasMean && v.SeedCount > 1 {
		text += " ± " + formatExactly(v.StandardError)
	}
	return text
}
