package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// printTables prints what was counted: the windows, and the kinds of requests.
func printTables(out io.Writer, all []sample, o options) {
	fmt.Fprintf(out, "%d jobs, mode %s, windows of %v, %s.\n\n", o.jobCount, o.mode, o.window, time.Now().Format(time.DateOnly))
	printCells(out, "window", "our requests", "time serving us", "of slurmctld's time", "other requests", "time serving them", "main cycles", "mean", "longest", "backfill cycles", "mean", "longest", "jobs waiting")
	printCells(out, slices.Repeat([]string{"---"}, 13)...)
	for _, kind := range kindNames {
		for i := range all {
			if all[i].kind == kind {
				printWindow(out, &all[i])
			}
		}
	}
	fmt.Fprintln(out)
	printKinds(out, all)
}

func printWindow(out io.Writer, s *sample) {
	own, others := s.load()
	printCells(out, s.kind, fmt.Sprint(own.Count), formatMilliseconds(own.TotalTime), fmt.Sprintf("%.2f %%", 100*own.TotalTime.Seconds()/s.span().Seconds()),
		fmt.Sprint(others.Count), formatMilliseconds(others.TotalTime),
		fmt.Sprint(s.CycleCount), formatMilliseconds(s.CycleMean), formatMilliseconds(s.CycleMax),
		fmt.Sprint(s.BackfillCount), formatMilliseconds(s.BackfillMean), formatMilliseconds(s.BackfillMax), fmt.Sprint(s.PendingJobs))
}

// printKinds prints the requests by kind, the costly ones first: of each kind of window the sum of
// all rounds.
func printKinds(out io.Writer, all []sample) {
	sums := map[string]map[string]slurm.RPCCount{}
	var names []string
	for i := range all {
		for _, c := range all[i].RPCsByType {
			if sums[c.Name] == nil {
				sums[c.Name], names = map[string]slurm.RPCCount{}, append(names, c.Name)
			}
			of := sums[c.Name][all[i].kind]
			sums[c.Name][all[i].kind] = slurm.RPCCount{Count: of.Count + c.Count, TotalTime: of.TotalTime + c.TotalTime}
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return int(sums[b][kindLater].TotalTime - sums[a][kindLater].TotalTime)
	})
	printCells(out, append([]string{"request"}, kindNames...)...)
	printCells(out, slices.Repeat([]string{"---"}, 1+len(kindNames))...)
	for _, name := range names {
		cells := []string{name}
		for _, kind := range kindNames {
			c := sums[name][kind]
			cells = append(cells, fmt.Sprintf("%d in %s", c.Count, formatMilliseconds(c.TotalTime)))
		}
		printCells(out, cells...)
	}
}

func printCells(out io.Writer, cells ...string) {
	fmt.Fprintln(out, "| "+strings.Join(cells, " | ")+" |")
}

// formatMilliseconds prints milliseconds, to a tenth where that matters.
func formatMilliseconds(d time.Duration) string {
	v := d.Seconds() * 1000
	if v < 10 {
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}
