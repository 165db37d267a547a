package main

import (
	"bytes"
	"context"
	"fmt"

	"fairbridge/bridge/sim/work/draw"
	"fairbridge/cmd/fairbridge/roster"
	"fairbridge/cmd/fairbridge/trial"
	"fairbridge/policy/paper"
)

// price compares both fidelities.
func price(ctx context.Context, page *bytes.Buffer, o options) error {
	seeds, jobs, list := 3, 150, everyName()
	if o.quick {
		seeds, jobs, list = 1, 20, "fifo,drf"
	}
	fmt.Fprintf(page, "\n## The price of going through Slurm\n\nThe same jobs with the same parameters, those of the daemon: plans carried out at once\nand exactly, and through the daemon's loop, its gate and a simulated Slurm (requeue delay,\nbackfill, leases). %d plain Philly-like batch jobs, which report nothing, on 4 servers of 8\nGPUs; medians of %s (least–greatest).\n\n", jobs, seedsOf(seeds))
	picks, err := roster.Parse(list, false)
	if err != nil {
		return err
	}
	var all []*trial.Workload
	for s := range seeds {
		w, err := drawn("philly", draw.Wish{Jobs: jobs}, int64(s+1), "4x8")
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
			list, err := spreads(ctx, []roster.Pick{p}, all, how)
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

// everyName is the catalogue.
func everyName() string {
	names := ""
	for _, e := range paper.All() {
		names += "," + e.Name
	}
	return names[1:]
}
