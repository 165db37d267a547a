package evaluation

import (
	"bytes"
	"context"
	"fmt"

	"fairbridge/lab/generate"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// sitePolicies are the policies whose price is measured: what sites run, and one of each
// kind.
const sitePolicies = "multifactor,fifo,drf,tiresias,astraea,gandiva-fair,themis,gavel,shockwave,fairbridge"

// writeFidelityComparison compares both fidelities.
func writeFidelityComparison(ctx context.Context, page *bytes.Buffer, o Options) error {
	seeds, spec, list := 3, "4x4", sitePolicies
	if o.IsQuick {
		seeds, spec, list = 1, "1x4", "fifo,drf"
	}
	fmt.Fprintf(page, "\n## The price of going through Slurm\n\nThe same jobs with the same parameters, those of the daemon: plans carried out at once\nand exactly, and through the daemon's loop, its gate and a simulated Slurm (requeue delay,\nbackfill, leases). A day of plain batch jobs, which report nothing, that keeps the cluster\n%s busy (`--generate day --load 0.9`, about 280 jobs); medians of %s (least–greatest).\n\n", spec, seedCountText(seeds))
	policies, err := policyset.ParsePolicies(list, false)
	if err != nil {
		return err
	}
	scenarios, err := generateScenarios("day", generate.WorkloadOptions{OfferedLoad: 0.9}, seeds, spec)
	if err != nil {
		return err
	}
	metrics := metricsByHead("AVG JCT", "P99", "UTIL", "RESTARTS")
	cells := metricTitles(metrics)
	writeHeader(page, append([]string{cells[0], "Fidelity"}, cells[1:]...)...)
	for _, p := range policies {
		o.reportProgressf("price: %s", p.Label)
		for _, fidelity := range []string{"exact", "slurm"} {
			list, err := runPolicies(ctx, []policyset.PolicyChoice{p}, scenarios, fidelity == "slurm")
			if err != nil {
				return err
			}
			writeRow(page, append([]string{p.Label, fidelity}, study.TableRow{Result: &list[0]}.Cells(metrics)...)...)
		}
	}
	return nil
}
