package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// stepNames are the columns of the second table, in the order of a cycle. What is
// missing to the whole is leadership, settling, and writing the snapshot.
var stepNames = []string{"poll", "record", "past", "assemble", "decide", "gate", "diff", "gate edits", "store"}

func printTitle(out io.Writer, s *site, o options) {
	fmt.Fprintf(out, "Slurm %s, %s, %d jobs submitted, policy %s, %d cycles of each kind, %s.\n"+
		"Wall times are medians, processor times means of a cycle.\n\n",
		s.release, s.slurm.APIVersion, o.jobCount, o.policyName, o.cycleCount, time.Now().Format(time.DateOnly))
	head := []string{"cycle", "jobs listed", "wall", "slowest", "own CPU", "of it polling", "slurmrestd CPU", "slurmctld CPU", "Postgres CPU", "read", "own RSS", "slurmrestd RSS"}
	printCells(out, append(head, stepNames...))
	printCells(out, slices.Repeat([]string{"---"}, len(head)+len(stepNames)))
}

func printRow(out io.Writer, name string, all []cycleSample) {
	last := all[len(all)-1]
	wall := durationsOf(all, func(s cycleSample) time.Duration { return s.wallTime })
	cells := []string{name, fmt.Sprint(last.pollCost.jobCount), formatMilliseconds(median(wall)), formatMilliseconds(slices.Max(wall))}
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
		cells = append(cells, formatMilliseconds(median(durationsOf(all, func(s cycleSample) time.Duration { return s.timeByStep[step] }))))
	}
	printCells(out, cells)
}

func printCells(out io.Writer, cells []string) {
	fmt.Fprintln(out, "| "+strings.Join(cells, " | ")+" |")
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

// formatMilliseconds prints milliseconds, to a tenth where that matters.
func formatMilliseconds(d time.Duration) string {
	v := d.Seconds() * 1000
	if v < 10 {
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}

func formatMegabytes(bytes int64) string {
	v := float64(bytes) / 1e6
	if v < 10 {
		return fmt.Sprintf("%.1f MB", v)
	}
	return fmt.Sprintf("%.0f MB", v)
}
