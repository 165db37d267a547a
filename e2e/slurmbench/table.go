package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

func printCells(out io.Writer, cells ...string) {
	fmt.Fprintln(out, "| "+strings.Join(cells, " | ")+" |")
}

// formatMilliseconds prints milliseconds, to a tenth where that matters.
func formatMilliseconds(d time.Duration) string { return formatNumber(d.Seconds()*1000) + " ms" }

func formatMegabytes(bytes int64) string { return formatNumber(float64(bytes)/1e6) + " MB" }

func formatNumber(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// stepNames are the columns of the second table, in the order of a cycle. What is
// missing to the whole is leadership, settling, and writing the snapshot.
var stepNames = []string{"poll", "record", "past", "assemble", "decide", "gate", "diff", "gate edits", "store"}

func (b *cycleBench) printTitle(out io.Writer) {
	fmt.Fprintf(out, "Slurm %s, %s, %d jobs submitted, policy %s, %d cycles of each kind, %s.\n"+
		"Wall times are medians, processor times means of a cycle.\n\n",
		b.release, b.slurm.APIVersion, b.jobCount, b.policyName, b.cycleCount, time.Now().Format(time.DateOnly))
	head := []string{
		"cycle",
		"jobs listed",
		"wall",
		"slowest",
		"own CPU",
		"of it polling",
		"slurmrestd CPU",
		"slurmctld CPU",
		"Postgres CPU",
		"read",
		"own RSS",
		"slurmrestd RSS",
	}
	printCells(out, append(head, stepNames...)...)
	printCells(out, slices.Repeat([]string{"---"}, len(head)+len(stepNames))...)
}

func printRow(out io.Writer, name string, all []cycleSample) {
	last := all[len(all)-1]
	wall := durationsOf(all, func(s cycleSample) time.Duration { return s.wallTime })
	cells := []string{
		name,
		fmt.Sprint(last.pollCost.jobCount),
		formatMilliseconds(median(wall)),
		formatMilliseconds(slices.Max(wall)),
	}
	for _, of := range []func(cycleSample) time.Duration{
		func(s cycleSample) time.Duration { return s.ownCPUTime },
		func(s cycleSample) time.Duration { return s.pollCost.ownCPUTime },
		func(s cycleSample) time.Duration { return s.slurmrestdCPUTime },
		func(s cycleSample) time.Duration { return s.slurmctldCPUTime },
		func(s cycleSample) time.Duration { return s.postgresCPUTime },
	} {
		cells = append(cells, formatMilliseconds(mean(durationsOf(all, of))))
	}
	var own, rest int64
	for _, s := range all {
		own, rest = max(own, s.ownRSSBytes), max(rest, s.slurmrestdRSSBytes)
	}
	cells = append(cells, formatMegabytes(last.pollCost.readBytes), formatMegabytes(own), formatMegabytes(rest))
	for _, step := range stepNames {
		cells = append(
			cells,
			formatMilliseconds(
				median(durationsOf(all, func(s cycleSample) time.Duration { return s.timeByStep[step] })),
			),
		)
	}
	printCells(out, cells...)
}

func durationsOf(all []cycleSample, of func(cycleSample) time.Duration) []time.Duration {
	list := make([]time.Duration, len(all))
	for i, s := range all {
		list[i] = of(s)
	}
	return list
}

func median(list []time.Duration) time.Duration {
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

func mean(list []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range list {
		sum += d
	}
	return sum / time.Duration(len(list))
}

// printTables prints what was counted: the windows, and the kinds of requests.
func (b *loadBench) printTables(out io.Writer, all []loadSample) {
	fmt.Fprintf(
		out,
		"%d jobs, mode %s, windows of %v, %s.\n\n",
		b.jobCount,
		b.mode,
		b.window,
		time.Now().Format(time.DateOnly),
	)
	printCells(
		out,
		"window",
		"our requests",
		"time serving us",
		"of slurmctld's time",
		"other requests",
		"time serving them",
		"main cycles",
		"mean",
		"longest",
		"backfill cycles",
		"mean",
		"longest",
		"jobs waiting",
	)
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

func printWindow(out io.Writer, s *loadSample) {
	own, others := s.load()
	printCells(
		out,
		s.kind,
		fmt.Sprint(own.Count),
		formatMilliseconds(own.TotalTime),
		fmt.Sprintf("%.2f %%", 100*own.TotalTime.Seconds()/s.span().Seconds()),
		fmt.Sprint(others.Count),
		formatMilliseconds(others.TotalTime),
		fmt.Sprint(s.CycleCount),
		formatMilliseconds(s.CycleMean),
		formatMilliseconds(s.CycleMax),
		fmt.Sprint(
			s.BackfillCount,
		),
		formatMilliseconds(s.BackfillMean),
		formatMilliseconds(s.BackfillMax),
		fmt.Sprint(s.PendingJobs),
	)
}

// printKinds prints the requests by kind, the costly ones first: of each kind of window the sum of
// all rounds.
func printKinds(out io.Writer, all []loadSample) {
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
