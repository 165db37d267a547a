package main

import (
	"bytes"
	"context"
	"fmt"

	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/published"
	"fairbridge/bridge/study/trial"
)

// family compares all policies on fresh workloads like the published ones.
func family(ctx context.Context, page *bytes.Buffer, o options) error {
	seeds, sizes := 5, published.Sizes[:3]
	if o.quick {
		seeds, sizes = 2, []published.Size{{Jobs: 30, GPUs: 8}}
	}
	fmt.Fprintf(page, "\n## On fresh workloads of the same family\n\n")
	fmt.Fprintf(page, "Jobs drawn as the published traces were made (models, sizes, batch-size modes, run\ntimes, arrivals), with speeds of our own: `fairbridge compare --generate shockwave`. Medians\nof %s (least–greatest).\n", seedsOf(seeds))
	picks, err := policyset.Parse(everything(), true)
	if err != nil {
		return err
	}
	columns := figures("MAKESPAN", "AVG JCT", "WORST ρ", "UNFAIR", "UTIL", "RESTARTS")
	for _, size := range sizes {
		var all []*trial.Workload
		for s := range seeds {
			w, err := drawn("shockwave", generate.Options{Jobs: size.Jobs}, int64(s+1), fmt.Sprint(size.GPUs))
			if err != nil {
				return err
			}
			all = append(all, w)
		}
		progress("%d drawn jobs on %d GPUs", size.Jobs, size.GPUs)
		list, err := spreads(ctx, picks, all, way)
		if err != nil {
			return err
		}
		fmt.Fprintf(page, "\n### %d drawn jobs on %d GPUs\n\n", size.Jobs, size.GPUs)
		table(page, picks, list, columns)
	}
	return nil
}

// table writes medians with their spread.
func table(page *bytes.Buffer, picks []policyset.Pick, list []trial.Spread, columns []*trial.Figure) {
	header(page, titles(columns)...)
	for i, p := range picks {
		cells := []string{p.Label}
		for _, f := range columns {
			cells = append(cells, list[i].Cell(f))
		}
		row(page, cells...)
	}
}

func seedsOf(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("%d seeds", n)
}
