package evaluation

import (
	"bytes"
	"context"
	"fmt"

	"fairbridge/lab/generate"
	"fairbridge/replica/published"
	"fairbridge/replica/study"
)

// writeFreshWorkloads compares all policies on fresh workloads like the published ones.
func writeFreshWorkloads(ctx context.Context, page *bytes.Buffer, o Options) error {
	seeds, sizes := 5, published.WallTimeSizes[:3]
	if o.IsQuick {
		seeds, sizes = 2, []published.WorkloadSize{{JobCount: 30, ClusterGPUs: 8}}
	}
	fmt.Fprintf(page, "\n## On fresh workloads of the same family\n\n")
	fmt.Fprintf(page, "Jobs drawn as the published traces were made (models, sizes, batch-size modes, run\ntimes, arrivals), with speeds of our own: `fairbridge-lab compare --generate shockwave`. Medians\nof %s (least–greatest).\n", seedCountText(seeds))
	policies, err := allPolicies()
	if err != nil {
		return err
	}
	metrics := metricsByHead("MAKESPAN", "AVG JCT", "WORST ρ", "UNFAIR", "UTIL", "RESTARTS")
	for _, size := range sizes {
		scenarios, err := generateScenarios("shockwave", generate.WorkloadOptions{JobCount: size.JobCount}, seeds, fmt.Sprint(size.ClusterGPUs))
		if err != nil {
			return err
		}
		o.reportProgressf("%d drawn jobs on %d GPUs", size.JobCount, size.ClusterGPUs)
		list, err := runPolicies(ctx, policies, scenarios, false)
		if err != nil {
			return err
		}
		fmt.Fprintf(page, "\n### %d drawn jobs on %d GPUs\n\n", size.JobCount, size.ClusterGPUs)
		writeHeader(page, metricTitles(metrics)...)
		for _, r := range list {
			writeRow(page, append([]string{r.Label}, study.TableRow{Result: &r}.Cells(metrics)...)...)
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
