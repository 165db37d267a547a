// Package power forecasts how many nodes will be needed and says which could be switched off
// meanwhile. It advises, and nothing acts on it.
//
// After the Cluster Energy Saving service of Helios: Q. Hu, P. Sun, S. Yan, Y. Wen, T. Zhang,
// "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters", SC
// 2021. The paper forecasts by boosted trees over hour, weekday, holidays and what was needed before;
// here it is the mean of the hour of a workday or a weekend, and what is left of the distance from it.
package power

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
)

// Advice is which nodes of a group could be switched off now.
type Advice struct {
	Group    string   `json:"group"` // GPU types of the nodes
	Total    int      `json:"nodes"` // that are up
	Needed   int      `json:"needed"`
	Expected float64  `json:"expected"`      // the most that is expected to be needed
	Off      []string `json:"off,omitempty"` // could be off, sorted
	Why      string   `json:"why"`
}

// GroupOf names the group of a node: nodes with the same GPUs do for each other.
func GroupOf(n *policy.Node) string {
	types := make([]string, len(n.GPUs))
	for i, d := range n.GPUs {
		types[i] = d.Type
	}
	return strings.Join(types, ",")
}

// Need is the nodes of a group at a moment.
type Need struct {
	Total int      // up, or set aside for a while
	Busy  int      // with jobs
	Empty []string // up and without jobs, sorted
	Asked int      // that jobs which could start would fill
}

// Needed is how many are needed.
func (n *Need) Needed() int { return min(n.Busy+n.Asked, n.Total) }

// NeedByGroup counts the nodes of a snapshot. A job that waits and takes any type counts for each
// group that has nodes for it.
func NeedByGroup(s *policy.Snapshot) map[string]*Need {
	busy, groups, perNode := map[string]bool{}, map[string]*Need{}, map[string]float64{}
	for i := range s.Jobs {
		for _, slot := range s.Jobs[i].On {
			busy[slot.Node] = true
		}
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		name := GroupOf(n)
		if groups[name] == nil {
			groups[name] = &Need{}
		}
		g := groups[name]
		switch {
		case busy[n.Name]:
			g.Busy, g.Total = g.Busy+1, g.Total+1
		case n.DownReason == "" && n.WholeGPUs() > 0:
			g.Empty, g.Total = append(g.Empty, n.Name), g.Total+1
		}
		perNode[name] = max(perNode[name], n.WholeGPUs())
	}
	for name, gpus := range gpusAsked(s) {
		groups[name].Asked = int(math.Ceil(gpus / max(perNode[name], 1)))
	}
	return groups
}

// gpusAsked sums by group what jobs that could start ask for.
func gpusAsked(s *policy.Snapshot) map[string]float64 {
	sums := map[string]float64{}
	names := map[string]bool{}
	for i := range s.Nodes {
		names[GroupOf(&s.Nodes[i])] = true
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.CanStart(s.Now) {
			continue
		}
		for name := range names {
			if slices.ContainsFunc(strings.Split(name, ","), j.AcceptsType) {
				sums[name] += j.Ask.GPUs.WholeGPUs() * float64(j.TaskCount())
			}
		}
	}
	return sums
}

// Advise says which nodes could be off now, by group, from what was looked at until now. Of groups with looks of less
// than two days nothing is said. The last by name are named first, so that the same ones stay on from time to time.
func (r Rules) Advise(s *policy.Snapshot, looksByGroup map[string][]Look) []Advice {
	needs := NeedByGroup(s)
	var all []Advice
	for _, name := range slices.SortedFunc(maps.Keys(needs), cmp.Compare[string]) {
		if m, err := Fit(looksByGroup[name], r.Step, r.Ahead); err == nil {
			all = append(all, r.adviseGroup(s.Now, name, needs[name], m, looksByGroup[name]))
		}
	}
	return all
}

func (r *Rules) adviseGroup(now time.Time, name string, n *Need, m *Model, looks []Look) Advice {
	looks = append(slices.Clip(looks), Look{At: now, Needed: n.Needed()})
	f := m.Forecast(looks[len(looks)-1])
	on := r.nodesOn(m, looks, n.Total)
	off := max(min(n.Total-on, len(n.Empty)), 0)
	a := Advice{Group: name, Total: n.Total, Needed: n.Needed(), Expected: f.Peak(r.Margin), Off: slices.Clone(n.Empty[len(n.Empty)-off:])}
	a.Why = fmt.Sprintf("%d of %d nodes are needed now, and %.1f at most in the next %s with a margin of %.3g standard errors; %d stay on", a.Needed, a.Total, a.Expected, policy.FormatDuration(r.Ahead), r.Margin, on)
	return a
}
