package targets

import (
	"math"
	"testing"
)

// What counts is the figure as it is printed: at most what is wanted is met, a thousandth more is not.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		ratios []float64
		figure *Figure
		most   float64
		want   Verdict
		shown  string
	}{
		{[]float64{.9, .9, .9}, MeanCompletion, .9, Met, ".900"},
		{[]float64{.9004, .9004}, MeanCompletion, .9, Met, ".900"},
		{[]float64{.9006, .9006}, MeanCompletion, .9, NotMet, ".901"},
		{[]float64{.5, .9, 9}, MeanCompletion, .9, Met, ".900"},
		{[]float64{.5, 2.1}, MeanCompletion, 1, NotMet, "1.300"},
		{[]float64{math.NaN(), .8, math.Inf(1)}, MeanCompletion, .9, Met, ".800"},
		{nil, MeanCompletion, .9, NoRuns, "–"},
		{append(make([]float64, 19), 1.04), WorseSeeds, .05, Met, "1 of 20"},
		{append(make([]float64, 18), 1.04, 1.031), WorseSeeds, .05, NotMet, "2 of 20"},
		{[]float64{.8, .97, 1.2}, MedianCompletion, .95, NotMet, ".970"},
		{[]float64{.8, .97, 1.2}, WorstCompletion, 1, NotMet, "1.200"},
		{[]float64{.8, .97, 1}, WorstCompletion, 1, Met, "1.000"},
	} {
		v := c.figure.ValueOf(c.ratios)
		if got := v.Judge(c.most); got != c.want || v.String() != c.shown {
			t.Errorf("%s of %v: %s, %q; want %s, %q", c.figure.Title, c.ratios, got, v.String(), c.want, c.shown)
		}
	}
}

// A target is of its workload, load and part of the jobs that may be stopped; elsewhere nothing is wanted.
func TestMostWanted(t *testing.T) {
	for _, c := range []struct {
		workload    Workload
		figure      *Figure
		load, share float64
		want        float64
		ok          bool
	}{
		{Days, MeanCompletion, 1.5, 0, .90, true},
		{Days, MeanCompletion, 1.5, .5, .80, true},
		{Days, MeanCompletion, 1, 1, .90, true},
		{Days, MeanCompletion, 2, 1, 0, false},
		{Days, MeanCompletion, 1, .3, 0, false},
		{Days, NodeGangs, 1, 0, 0, false},
		{Days, LongestWaits, 3, .5, 1, true},
		{Windows, MeanCompletion, 1, 0, 0, false},
		{Windows, WorstCompletion, 1.5, 1, 1, true},
	} {
		if got, ok := MostWanted(c.workload, c.figure, c.load, c.share); got != c.want || ok != c.ok {
			t.Errorf("%s, %s, load %g, share %g: %g, %t; want %g, %t", c.workload, c.figure.Title, c.load, c.share, got, ok, c.want, c.ok)
		}
	}
}

func TestLosersAreNamedWorstFirst(t *testing.T) {
	all := []loser{{"a", 1.04}, {"b", 1.03}, {"c", 2}, {"d", math.NaN()}, {"e", 1.5}, {"f", 1.1}}
	if got, want := nameLosers(all, worseAbove), "c: 2.00, e: 1.50, f: 1.10, 1 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := nameLosers(nil, worseAbove); got != "none" {
		t.Errorf("nobody loses: %q", got)
	}
}

// Beside the median stand the quartiles, and the geometric mean with its standard error.
func TestSpread(t *testing.T) {
	v := MeanCompletion.ValueOf([]float64{.5, 1, 2})
	if got, want := v.FormatSpread(), ".75–1.50; 1.000 ± .400"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if v = WorseSeeds.ValueOf([]float64{.5, 1, 2}); v.FormatSpread() != ".75–1.50" {
		t.Errorf("%q", v.FormatSpread())
	}
}
