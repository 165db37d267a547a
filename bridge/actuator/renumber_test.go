package actuator

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRungsHandOutWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		name       string
		own        []int64
		n          int
		gap, floor int64
		want       []int64
	}{
		{"far apart", []int64{100, 900, 500}, 3, 10, 2, []int64{900, 500, 100}},
		{"the window's share", []int64{100, 900, 500}, 2, 10, 2, []int64{900, 500}},
		{"all alike", []int64{500, 500, 500}, 3, 10, 2, []int64{510, 500, 490}},
		{"two alike", []int64{900, 500, 500}, 3, 10, 2, []int64{900, 505, 495}},
		{"too near the floor", []int64{3, 3, 3}, 3, 1, 2, []int64{4, 3, 2}},
		{"under the floor", []int64{3, 2}, 2, 1, 1000, []int64{1001, 1000}},
		{"none in the window", []int64{3}, 0, 1, 2, []int64{}},
	} {
		if diff := cmp.Diff(c.want, spaceHighestPriorities(c.own, c.n, c.gap, c.floor)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestRungsLaws: they fall by the gap or more, and stay as near as they can:
// their mean is that of what was handed out, but for rounding and the floor.
func TestRungsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gap := rapid.Int64Range(1, 50).Draw(t, "gap")
		own := rapid.SliceOfN(rapid.Int64Range(100_000, 110_000), 1, 60).Draw(t, "own")
		got := spaceHighestPriorities(own, len(own), gap, 2)
		sum := int64(0)
		for i, v := range got {
			sum += v - own[i]
			if i > 0 && got[i-1]-v < gap {
				t.Fatalf("places %d and %d are %d apart, want %d: %v", i-1, i, got[i-1]-v, gap, got)
			}
		}
		if abs(sum) > 2*int64(len(own)) {
			t.Fatalf("%v handed out as %v: %d more in all", own, got, sum)
		}
	})
}

func TestRenumberKeepsWhatStands(t *testing.T) {
	s := priorityTargets{bestValues: []int64{500, 400, 300, 200}, minGap: 10, slack: 150}
	for _, c := range []struct {
		name       string
		have, want []int64
	}{
		{"in order", []int64{505, 390, 310, 190}, []int64{505, 390, 310, 190}},
		{"one too low", []int64{505, 390, 100, 190}, []int64{505, 390, 300, 190}},
		{"last becomes first", []int64{190, 505, 390, 310}, []int64{515, 505, 390, 310}},
		{"no room between", []int64{350, 0, 349, 200}, []int64{500, 400, 349, 200}},
		{"out of bounds", []int64{900, 800, 700, 600}, []int64{500, 400, 300, 200}},
		{"nothing fits", []int64{0, 0, 0, 0}, []int64{500, 400, 300, 200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, s.renumberLine(c.have, 2)); diff != "" {
				t.Errorf("renumber(%v): %s", c.have, diff)
			}
		})
	}
}

func TestRenumberLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := rapid.SliceOfN(rapid.Int64Range(2, 3000), 1, 60).Draw(t, "own")
		g := make([]numberedPlace, len(own))
		for i := range g {
			g[i].SlurmPriority = own[i]
		}
		s := newPriorityTargets(g, rapid.IntRange(0, len(g)).Draw(t, "window"), lowestPriority)
		have := rapid.SliceOfN(rapid.Int64Range(-10, 5000), len(s.bestValues), len(s.bestValues)).Draw(t, "have")
		got := s.renumberLine(have, lowestPriority)
		for i, v := range got {
			if v < lowestPriority || abs(v-s.bestValues[i]) > s.slack {
				t.Fatalf("place %d: %d is below %d or more than %d from %d in %v", i, v, lowestPriority, s.slack, s.bestValues[i], got)
			}
			if i > 0 && got[i-1] <= v {
				t.Fatalf("places %d and %d do not fall: %v", i-1, i, got)
			}
		}
		if diff := cmp.Diff(got, s.renumberLine(got, lowestPriority)); diff != "" {
			t.Fatalf("not a fixed point: %s", diff)
		}
		if top := slices.Max(own); len(got) > 0 && got[0] > top+s.slack+(top-slices.Min(own))/2+top/16+int64(len(own)) {
			t.Fatalf("%d is far above %d, the highest of Slurm's own", got[0], top)
		}
	})
}

// Jobs that start are raised above one that waits, which is not lowered when it
// has waited so long that it must not be.
func TestStartsAreRaisedNotWaitersLowered(t *testing.T) {
	line := []numberedPlace{{StartsNow: true, CurrentPriority: 400}, {StartsNow: true, CurrentPriority: 300}, {CurrentPriority: 500, IsLongWaiting: true}, {CurrentPriority: 200}}
	s := priorityTargets{bestValues: []int64{500, 400, 300, 200}, minGap: 50, slack: 100}
	number := func() []int64 {
		values := s.renumberLine(currentValues(line), lowestPriority)
		raiseAboveLongWaiting(values, line)
		return values
	}
	got := number()
	if want := []int64{502, 501, 500, 200}; !slices.Equal(got, want) {
		t.Errorf("renumbered to %v, want %v", got, want)
	}
	for i := range line {
		line[i].CurrentPriority = got[i]
	}
	if again := number(); !slices.Equal(got, again) {
		t.Errorf("%v, raised already, is raised again: %v", got, again)
	}
}
