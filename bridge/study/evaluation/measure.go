package main

import (
	"context"
	"math"
	"slices"
	"strings"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/trial"
	"fairbridge/policy/catalogue"
)

// variants are policies of the catalogue that are evaluated with parameters
// too.
var variants = []string{"gavel:objective=finish-time-fairness", "gavel:objective=throughput", "gavel:objective=makespan"}

// everything is the whole catalogue with its variants.
func everything() string {
	var names []string
	for _, e := range catalogue.All() {
		names = append(names, e.Name)
		for _, v := range variants {
			if strings.HasPrefix(v, e.Name+":") {
				names = append(names, v)
			}
		}
	}
	return strings.Join(names, ",")
}

// way is the one that fits the workload, by the clock.
func way(w *trial.Workload, seed int64) (trial.Way, error) {
	name := trial.ClockFor(w)
	clock, err := trial.Clock(name, 0)
	return trial.Way{Clock: clock, Seed: seed, Profiled: name == "shockwave"}, err
}

// once simulates a policy, and again while it is fast, and keeps the least
// wall time: others use the machine too.
func once(ctx context.Context, w *trial.Workload, p policyset.Pick, seed int64, again int) (measure.Summary, error) {
	how, err := way(w, seed)
	if err != nil {
		return measure.Summary{}, err
	}
	least := math.Inf(1)
	for k := 0; ; k++ {
		run, err := w.Run(ctx, p, how)
		if err != nil {
			return measure.Summary{}, err
		}
		least = min(least, run.Wall)
		if s := run.Summary(); k == again || run.Wall > 5 {
			s.Wall = least
			return s, nil
		}
	}
}

// drawn is a workload of a kind for a cluster.
func drawn(kind string, wish generate.Options, seed int64, spec string) (*trial.Workload, error) {
	nodes, err := cluster.Parse(spec)
	if err != nil {
		return nil, err
	}
	return trial.Draw(kind, wish, seed, nodes)
}

// spreads simulates policies with several seeds.
func spreads(ctx context.Context, picks []policyset.Pick, workloads []*trial.Workload, how func(*trial.Workload, int64) (trial.Way, error)) ([]trial.Spread, error) {
	var all []trial.Spread
	for _, p := range picks {
		var summaries []measure.Summary
		for s, w := range workloads {
			h, err := how(w, int64(s+1))
			if err != nil {
				return nil, err
			}
			run, err := w.Run(ctx, p, h)
			if err != nil {
				return nil, err
			}
			summaries = append(summaries, run.Summary())
		}
		all = append(all, trial.NewSpread(summaries))
	}
	return all, nil
}

// figures picks columns by their heads.
func figures(heads ...string) []*trial.Figure {
	var list []*trial.Figure
	for i := range trial.Figures {
		if f := &trial.Figures[i]; slices.Contains(heads, f.Head) {
			list = append(list, f)
		}
	}
	return list
}

// titles are the heads of a Markdown table of figures.
func titles(figures []*trial.Figure) []string {
	cells := []string{"Policy"}
	for _, f := range figures {
		cells = append(cells, strings.Replace(f.Title, "Jobs with ρ > 1.05", "Unfair", 1))
	}
	return cells
}
