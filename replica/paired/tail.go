package paired

import (
	"math"

	"fairbridge/replica/measure"
)

// startFigures are counts of first starts, in percent of all.
var startFigures = []struct {
	key, title string
	of         func(measure.StartCounts) int
}{
	{"planned", "Starts as planned, %", func(n measure.StartCounts) int { return n.Planned }},
	{"no_room", "Starts of jobs that were to wait for room, %", func(n measure.StartCounts) int { return n.NoRoom }},
	{"held_back", "Starts of jobs that the plan held back, %", func(n measure.StartCounts) int { return n.HeldBack }},
	{"unseen", "Starts unseen, %", func(n measure.StartCounts) int { return n.Unseen }},
	{"in_order", "Starts unplanned, of the first in line, %", func(n measure.StartCounts) int { return n.InOrder }},
	{"backfilled", "Starts unplanned, by backfill, %", func(n measure.StartCounts) int { return n.Backfilled }},
	{"past_gang", "Starts past the first gang, %", func(n measure.StartCounts) int { return n.PastGang }},
	{"delaying", "Starts that delayed the first gang, %", func(n measure.StartCounts) int { return n.Delaying }},
}

// useRanges are accounts by how much of their share they used under the baseline.
var useRanges = []struct {
	key, title   string
	least, below float64
}{
	{"below_half", "less than half", 0, 0.5}, {"half_to_1", "half to all", 0.5, 1},
	{"1_to_2", "up to twice", 1, 2}, {"from_2", "twice and more", 2, math.Inf(1)},
}

// AddTails adds figures for which a terminal has no room: the longest wait, the slowdown at 95 %, the slowdown by how
// much of their share accounts used, and what plans wanted of the jobs that started.
func (s *Set) AddTails() {
	add := func(f Figure) { s.Figures = append(s.Figures, &f) }
	add(Figure{Key: "longest_wait_s", Title: "Longest wait, s", Group: GroupWaiting, IsRatio: true, leastCounted: 1,
		valueOf: func(r *measure.Run) float64 { return quantile(waits(r), 1) }})
	add(Figure{Key: "p95_slowdown", Title: "95 % bounded slowdown", Group: GroupCompletion, IsRatio: true,
		valueOf: func(r *measure.Run) float64 { return quantile(Slowdowns(r, 1, math.MaxInt), 0.95) }})
	for _, u := range useRanges {
		slowdown := func(run, baseline *measure.Run) float64 {
			return s.shares.slowdownOf(run, baseline, u.least, u.below)
		}
		add(Figure{Key: "slowdown_use_" + u.key, Title: "Mean slowdown of accounts that used of their share " + u.title,
			Group: GroupCompletion, IsRatio: true,
			valueOf: func(r *measure.Run) float64 { return slowdown(r, r) },
			ratioOf: func(run, baseline *measure.Run) float64 {
				return slowdown(run, baseline) / slowdown(baseline, baseline)
			}})
	}
	for _, f := range startFigures {
		add(Figure{Key: "starts_" + f.key, Title: f.title, Group: GroupCost, isShare: true,
			valueOf: func(r *measure.Run) float64 { return float64(f.of(r.Starts)) / float64(r.Starts.Sum()) }})
	}
}
