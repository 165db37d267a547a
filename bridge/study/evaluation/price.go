package main

import (
	"bytes"
	"context"
	"fmt"

	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/trial"
)

// live are the policies whose price is measured: what sites run, and one of each
// kind.
const live = "multifactor,fifo,drf,tiresias,astraea,gandiva-fair,themis,gavel,shockwave,fairbridge"

// price compares both fidelities.
func price(ctx context.Context, page *bytes.Buffer, o options) error {
	seeds, spec, list := 3, "4x4", live
	if o.quick {
		seeds, spec, list = 1, "1x4", "fifo,drf"
	}
	fmt.Fprintf(page, "\n## The price of going through Slurm\n\nThe same jobs with the same parameters, those of the daemon: plans carried out at once\nand exactly, and through the daemon's loop, its gate and a simulated Slurm (requeue delay,\nbackfill, leases). A day of plain batch jobs, which report nothing, that keeps the cluster\n%s busy (`--generate day --load 0.9`, about 280 jobs); medians of %s (least–greatest).\n\n", spec, seedsOf(seeds))
	picks, err := policyset.Parse(list, false)
	if err != nil {
		return err
	}
	var all []*trial.Workload
	for s := range seeds {
		w, err := drawn("day", generate.Options{Load: 0.9}, int64(s+1), spec)
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	columns := figures("AVG JCT", "P99", "UTIL", "RESTARTS")
	cells := titles(columns)
	header(page, append([]string{cells[0], "Fidelity"}, cells[1:]...)...)
	for _, p := range picks {
		progress("price: %s", p.Label)
		for _, fidelity := range []string{"exact", "slurm"} {
			how := func(w *trial.Workload, seed int64) (trial.Way, error) {
				h, err := way(w, seed)
				h.Slurm = fidelity == "slurm"
				return h, err
			}
			list, err := spreads(ctx, []policyset.Pick{p}, all, how)
			if err != nil {
				return err
			}
			cells := []string{p.Label, fidelity}
			for _, f := range columns {
				cells = append(cells, list[0].Cell(f))
			}
			row(page, cells...)
		}
	}
	return nil
}
