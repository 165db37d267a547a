package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestDots: a dot for each value there is, a mark at each median, 1 always on the axis, and no
// two ticks on top of each other.
func TestDots(t *testing.T) {
	for name, values := range map[string][]float64{
		"near 1":    {0.98, 1.01, 1.02},
		"far apart": {0.002, 1, 300},
		"all below": {0.3, 0.31, 0.4},
		"with none": {math.NaN(), 0.5, math.Inf(1), 2, 0},
	} {
		rows := []DotRow{{"a <b>", values}, {"nothing", []float64{math.NaN()}}}
		svg := string(dotChart{"id", name, "ratio", rows}.renderSVG())
		known := len(knownRatios(values))
		if got := strings.Count(svg, "<circle"); got != known {
			t.Errorf("%s: %d dots, want %d", name, got, known)
		}
		if got := strings.Count(svg, `class="median"`); got != 1 {
			t.Errorf("%s: %d medians, want 1", name, got)
		}
		if strings.Contains(svg, "<b>") || strings.Contains(svg, "NaN") || !strings.Contains(svg, "a &lt;b&gt;") {
			t.Errorf("%s: %s", name, svg)
		}
		x := newRatioAxis("", rows)
		if !slices.Contains(x.ticks, 1) || len(x.ticks) < 3 {
			t.Errorf("%s: ticks at %v", name, x.ticks)
		}
		for i, a := range x.ticks {
			for _, b := range x.ticks[:i] {
				if math.Abs(x.pixelOf(a)-x.pixelOf(b)) < minTickDistance {
					t.Errorf("%s: ticks %g and %g touch", name, a, b)
				}
			}
		}
	}
	x := newRatioAxis("", []DotRow{{"", []float64{0.5, 2}}})
	if below, above := x.pixelOf(1)-x.pixelOf(0.5), x.pixelOf(2)-x.pixelOf(1); math.Abs(below-above) > 1e-6 {
		t.Errorf("half is %g pixels from 1, double %g", below, above)
	}
}
