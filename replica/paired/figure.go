// Package paired compares two policies on the same jobs, seed by seed: each figure of
// a run over the same figure of the baseline's run with that seed. What chance gave to both
// falls out of a ratio, so that far fewer seeds tell two policies apart than medians of
// each would need.
package paired

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"fairbridge/replica/measure"
)

// Figure is one thing that is compared; less is better.
type Figure struct {
	Key        string // in JSON
	ColumnHead string // on a terminal
	Title      string // on a page, with its unit
	Group      Group
	IsRatio    bool // what is shown of a policy is its ratio to the baseline; else its own value
	isShare    bool // a part of something, printed in percent
	// leastCounted: what is less counts as this much in a ratio: a second more of nothing is no
	// harm.
	leastCounted float64
	valueOf      func(*measure.Run) float64               // NaN: the run has none
	ratioOf      func(run, baseline *measure.Run) float64 // nil: of the values
}

// Group is which of the tables a figure stands in.
type Group int

// The tables, in order.
const (
	GroupWaiting Group = iota
	GroupCompletion
	GroupSize
	GroupCost
	GroupCount
)

// ValueOf returns the figure of a run; NaN where it has none.
func (f *Figure) ValueOf(r *measure.Run) float64 { return f.valueOf(r) }

// RatioOf returns the figure of a run over that of the baseline on the same jobs; NaN where
// there is none.
func (f *Figure) RatioOf(run, baseline *measure.Run) float64 {
	if f.ratioOf != nil {
		return f.ratioOf(run, baseline)
	}
	mine, theirs := max(f.valueOf(run), f.leastCounted), max(f.valueOf(baseline), f.leastCounted)
	if theirs == 0 && mine == 0 {
		return 1
	}
	if theirs == 0 {
		return math.NaN()
	}
	return mine / theirs
}

// Set is what is compared on one cluster.
type Set struct {
	Figures []*Figure
	shares  *accountShares
}

// FigureIndex is where the figure of a key stands in the set; negative: it has none.
func (s *Set) FigureIndex(key string) int {
	return slices.IndexFunc(s.Figures, func(f *Figure) bool { return f.Key == key })
}

// NewSet returns what is compared on a cluster whose nodes have so many GPUs, at most. Sizes
// of jobs are told apart in proportion to a node. weightsBySeed are those of the accounts, by
// the seed of the run; an account without one counts as 1.
func NewSet(gpusPerNode int, weightsBySeed map[int64]map[string]float64) *Set {
	s := &Set{shares: &accountShares{weightsBySeed}}
	ratio := func(g Group, key, head, title string, least float64, of func(*measure.Run) float64) {
		s.Figures = append(s.Figures, &Figure{Key: key, ColumnHead: head, Title: title, Group: g, IsRatio: true, leastCounted: least, valueOf: of})
	}
	ratio(GroupWaiting, "mean_wait_s", "MEAN WAIT", "Mean wait, s", 1, func(r *measure.Run) float64 { return stat.Mean(waits(r), nil) })
	ratio(GroupWaiting, "p95_wait_s", "P95 WAIT", "95 % wait, s", 1, func(r *measure.Run) float64 { return quantile(waits(r), 0.95) })
	ratio(GroupWaiting, "p99_wait_s", "P99 WAIT", "99 % wait, s", 1, func(r *measure.Run) float64 { return quantile(waits(r), 0.99) })
	ratio(GroupWaiting, "makespan_s", "MAKESPAN", "Makespan, s", 1, func(r *measure.Run) float64 { return r.MakespanSeconds })
	ratio(GroupCompletion, "mean_completion_s", "COMPLETION", "Mean completion time, s", 1, func(r *measure.Run) float64 { return stat.Mean(r.JCTs(), nil) })
	ratio(GroupCompletion, "mean_slowdown", "SLOWDOWN", "Mean bounded slowdown", 0, func(r *measure.Run) float64 { return stat.Mean(Slowdowns(r, 1, math.MaxInt), nil) })
	s.addAccountFigures(s.shares)
	for _, b := range sizeRanges(gpusPerNode) {
		ratio(GroupSize, "slowdown_gpus_"+b.key(), b.title(), "Mean slowdown of jobs of "+b.title(), 0, func(r *measure.Run) float64 { return stat.Mean(Slowdowns(r, b.least, b.most), nil) })
	}
	ratio(GroupSize, "slowdown_gangs", "GANGS", "Mean slowdown of jobs of several GPUs", 0, func(r *measure.Run) float64 { return stat.Mean(Slowdowns(r, 2, math.MaxInt), nil) })
	own := func(key, head, title string, of func(*measure.Run) float64) {
		s.Figures = append(s.Figures, &Figure{Key: key, ColumnHead: head, Title: title, Group: GroupCost, valueOf: of})
	}
	share := func(key, head, title string, of func(*measure.Run) float64) {
		own(key, head, title, of)
		s.Figures[len(s.Figures)-1].isShare = true
	}
	share("makespan_over_bound", "MKSP>LB", "Makespan above the lower bound, %", func(r *measure.Run) float64 { return overBound(r).Makespan })
	share("avg_jct_over_bound", "COMPL>LB", "Mean completion time above the lower bound, %", func(r *measure.Run) float64 { return overBound(r).AvgJCT })
	share("fillable_idle_share", "IDLE", "GPU time idle while jobs wait that would fit, %", fillableIdleShare)
	share("share_deficit", "LACKED", "GPU time due to accounts by weight that they did not get, %", shareDeficit)
	own("stops", "STOPS", "Stops", func(r *measure.Run) float64 { return float64(r.CountStops()) })
	own("lost_gpu_hours", "LOST", "GPU-hours lost", (*measure.Run).LostGPUHours)
	own("writes", "WRITES", "Writes to Slurm", func(r *measure.Run) float64 { return float64(r.WriteCount) })
	return s
}

func (s *Set) addAccountFigures(a *accountShares) {
	s.Figures = append(s.Figures,
		&Figure{
			Key: "worst_account_slowdown", ColumnHead: "WORST ACCOUNT", Title: "Mean slowdown of the worst account", Group: GroupCompletion, IsRatio: true,
			valueOf: worstSlowdown, ratioOf: a.worstRatio,
		},
		&Figure{
			Key: "worst_below_share_slowdown", ColumnHead: "BELOW SHARE", Title: "Mean slowdown of the worst account that used less than its share", Group: GroupCompletion, IsRatio: true,
			valueOf: a.worstBelowShare, ratioOf: a.worstRatioBelowShare,
		})
}

// waits returns for each job how long it held no GPUs from its arrival to its end: the wait
// for its first start, and after each stop for the next.
func waits(r *measure.Run) []float64 {
	w := make([]float64, len(r.JobOutcomes))
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		w[i] = max(j.Finish-j.Arrive-j.HeldSeconds, 0)
	}
	return w
}

// Slowdowns returns the bounded slowdowns of the jobs of such sizes.
func Slowdowns(r *measure.Run, least, most int) []float64 {
	var all []float64
	for i := range r.JobOutcomes {
		if j := &r.JobOutcomes[i]; j.GPUCount >= least && j.GPUCount <= most {
			all = append(all, j.Slowdown())
		}
	}
	return all
}

// overBound is by which part makespan and mean completion time are above what no schedule can
// fall below; NaN where the bounds do not hold.
func overBound(r *measure.Run) measure.LowerBounds {
	b := r.LowerBounds()
	if !r.HasOneSpeed || b.AvgJCT <= 0 {
		return measure.LowerBounds{Makespan: math.NaN(), AvgJCT: math.NaN()}
	}
	return measure.LowerBounds{Makespan: r.MakespanSeconds/b.Makespan - 1, AvgJCT: stat.Mean(r.JCTs(), nil)/b.AvgJCT - 1}
}

func fillableIdleShare(r *measure.Run) float64 {
	if r.FillableIdleGPUSeconds < 0 || !(r.MakespanSeconds > 0) || r.ClusterGPUs == 0 {
		return math.NaN()
	}
	return r.FillableIdleGPUSeconds / (float64(r.ClusterGPUs) * r.MakespanSeconds)
}

func shareDeficit(r *measure.Run) float64 {
	if r.ShareDeficit < 0 {
		return math.NaN()
	}
	return r.ShareDeficit
}

// sizeRange is jobs of so many GPUs.
type sizeRange struct{ least, most int }

// sizeRanges are one GPU, up to half a node, up to a node, and more: 1, 2–4, 5–8 and more on
// nodes of 8. Those that no number falls into are left out.
func sizeRanges(gpusPerNode int) []sizeRange {
	all := []sizeRange{{1, 1}}
	for _, most := range []int{gpusPerNode / 2, gpusPerNode, math.MaxInt} {
		if last := all[len(all)-1].most; most > last {
			all = append(all, sizeRange{last + 1, most})
		}
	}
	return all
}

// title says which sizes they are: "2–4 GPUs".
func (s sizeRange) title() string {
	switch {
	case s.most == math.MaxInt:
		return fmt.Sprintf("≥ %d GPUs", s.least)
	case s.least == s.most && s.least == 1:
		return "1 GPU"
	case s.least == s.most:
		return fmt.Sprintf("%d GPUs", s.least)
	}
	return fmt.Sprintf("%d–%d GPUs", s.least, s.most)
}

// key says it in a key of JSON: "1", "2_to_4", "from_9".
func (s sizeRange) key() string {
	switch {
	case s.most == math.MaxInt:
		return fmt.Sprintf("from_%d", s.least)
	case s.least == s.most:
		return fmt.Sprint(s.least)
	}
	return fmt.Sprintf("%d_to_%d", s.least, s.most)
}

// SizeOf says of which of the sizes that are told apart on nodes of so many GPUs a job of some
// is: "2–4 GPUs", and the least of them.
func SizeOf(gpusPerNode, gpus int) (title string, least int) {
	of := sizeRange{gpus, gpus}
	for _, s := range sizeRanges(gpusPerNode) {
		if gpus >= s.least && gpus <= s.most {
			of = s
		}
	}
	return of.title(), of.least
}

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
