package chart

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestCDF(t *testing.T) {
	got := drawnDistribution([]float64{3, 1, math.Inf(1), 2})
	want := []point{{1, 0.25}, {2, 0.5}, {3, 0.75}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(point{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	many := make([]float64, 100_000)
	for i := range many {
		many[i] = float64(len(many) - i)
	}
	line := drawnDistribution(many)
	if n := len(line); n > maxPointsPerLine+1 || line[0].x != 1 || line[n-1] != (point{100_000, 1}) || line[n/2].y < 0.49 || line[n/2].y > 0.51 {
		t.Errorf("%d points from %v to %v", n, line[0], line[n-1])
	}
}

// TestOverTimeKeepsTheSum wants the area under the line to be that of the
// samples.
func TestOverTimeKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, area := 0.0, 0.0
		var samples []Sample
		for range rapid.IntRange(1, 50).Draw(t, "samples") {
			s := Sample{AtSeconds: at, BusyGPUs: rapid.IntRange(0, 64).Draw(t, "busy")}
			held := rapid.Float64Range(0, 1e4).Draw(t, "held")
			at, area = at+held, area+held*float64(s.BusyGPUs)
			samples = append(samples, s)
		}
		line := pointsOverTime(samples, at, func(s *Sample) float64 { return float64(s.BusyGPUs) })
		if at <= 0 {
			return
		}
		got := meanY(line) * at
		if math.Abs(got-area) > 1e-6*max(area, 1) {
			t.Fatalf("area %g, want %g", got, area)
		}
	})
}

func TestContended(t *testing.T) {
	got := accountSharesWhileQueued([]Sample{
		{AtSeconds: 0, QueuedJobs: 1, GPUsByAccount: map[string]float64{"a": 4, "b": 4}},
		{AtSeconds: 10, QueuedJobs: 2, GPUsByAccount: map[string]float64{"a": 8}},
		{AtSeconds: 20, QueuedJobs: 0, GPUsByAccount: map[string]float64{"b": 8}},
		{AtSeconds: 900},
	})
	if d := cmp.Diff(map[string]float64{"a": 0.75, "b": 0.25}, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAxes(t *testing.T) {
	for _, c := range []struct {
		axis axis
		want []float64
	}{
		{newLinearAxis("", 1), []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{newLinearAxis("", 9.3), []float64{0, 2, 4, 6, 8, 10}},
		{newLinearAxis("", 100), []float64{0, 20, 40, 60, 80, 100}},
		{newLinearAxis("", 0), []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{newLogAxis("", 0.3, 30), []float64{0.5, 1, 2, 5, 10, 20}},
		{newLogAxis("", 1, 1e5), []float64{1, 10, 100, 1e3, 1e4, 1e5}},
	} {
		if d := cmp.Diff(c.want, c.axis.ticks, cmpopts.EquateApprox(1e-9, 1e-12)); d != "" {
			t.Errorf("%g to %g (-want +got):\n%s", c.axis.minValue, c.axis.maxValue, d)
		}
		c.axis.minPixel, c.axis.maxPixel = 0, 100
		var at []float64
		for _, tick := range c.axis.ticks {
			at = append(at, c.axis.pixelOf(tick))
		}
		if !slices.IsSorted(at) || at[0] < 0 || at[len(at)-1] > 100.0001 || c.axis.pixelOf(math.NaN()) != 0 {
			t.Errorf("ticks at %v", at)
		}
	}
}

func TestUnit(t *testing.T) {
	for most, want := range map[float64]string{100: "seconds", 3600: "minutes", 32000: "hours", 1e6: "days"} {
		if got, _ := ChooseTimeUnit(most); got != want {
			t.Errorf("%g s in %s, want %s", most, got, want)
		}
	}
}

func TestDistribution(t *testing.T) {
	for _, c := range []struct {
		values []float64
		points int
		want   []point
	}{
		{nil, 5, []point{}},
		{[]float64{7}, 5, []point{{7, 1}}},
		{[]float64{4, 1, 3, 2, 5}, 3, []point{{1, .2}, {3, .6}, {5, 1}}},
		{[]float64{2, 1}, 10, []point{{1, .5}, {2, 1}}},
	} {
		if d := cmp.Diff(c.want, cumulativeDistribution(c.values, c.points), cmp.AllowUnexported(point{})); d != "" {
			t.Errorf("%v: %s", c.values, d)
		}
	}
}
