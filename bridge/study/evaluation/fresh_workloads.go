package evaluation

import (
	"bytes"
	"context"
	"fmt"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/published"
)

// writeFreshWorkloads compares all policies on fresh workloads like the published ones.
func writeFreshWorkloads(ctx context.Context, page *bytes.Buffer, o Options) error {
	seeds, sizes := 5, published.WallTimeSizes[:3]
	if o.Quick {
		seeds, sizes = 2, []published.WorkloadSize{{Jobs: 30, GPUs: 8}}
	}
	fmt.Fprintf(page, "\n## On fresh workloads of the same family\n\n")
	fmt.Fprintf(page, "Jobs drawn as the published traces were made (models, sizes, batch-size modes, run\ntimes, arrivals), with speeds of our own: `fairbridge compare --generate shockwave`. Medians\nof %s (least–greatest).\n", seedCountText(seeds))
	policies, err := allPolicies()
	if err != nil {
		return err
	}
	metrics := metricsByHead("MAKESPAN", "AVG JCT", "WORST ρ", "UNFAIR", "UTIL", "RESTARTS")
	for _, size := range sizes {
		scenarios, err := generateScenarios("shockwave", generate.Options{Jobs: size.Jobs}, seeds, fmt.Sprint(size.GPUs))
		if err != nil {
			return err
		}
		o.reportProgress("%d drawn jobs on %d GPUs", size.Jobs, size.GPUs)
		list, err := runPolicies(ctx, policies, scenarios, false)
		if err != nil {
			return err
		}
		fmt.Fprintf(page, "\n### %d drawn jobs on %d GPUs\n\n", size.Jobs, size.GPUs)
		writeHeader(page, metricTitles(metrics)...)
		for _, r := range list {
			writeRow(page, append([]string{r.Label}, study.Row{Result: &r}.Cells(metrics)...)...)
		}
	}
	return nil
}

func seedCountText(n int) string {
	if n == 1 {
		return "one seed"
	}
	return fmt.Sprintf("%d seeds", n)
}
