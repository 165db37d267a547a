package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// steps are the columns of the second table, in the order of a cycle. What is
// missing to the whole is leadership, settling, and writing the snapshot.
var steps = []string{"poll", "record", "past", "assemble", "decide", "gate", "diff", "gate edits", "store"}

func printTitle(out io.Writer, s *site, o options) {
	fmt.Fprintf(out, "Slurm %s, %s, %d jobs submitted, policy %s, %d cycles of each kind, %s.\n"+
		"Wall times are medians, processor times means of a cycle.\n\n",
		s.release, s.slurm.API, o.jobs, o.policy, o.cycles, time.Now().Format(time.DateOnly))
	head := []string{"cycle", "jobs listed", "wall", "slowest", "own CPU", "of it polling", "slurmrestd CPU", "slurmctld CPU", "Postgres CPU", "read", "own RSS", "slurmrestd RSS"}
	printCells(out, append(head, steps...))
	printCells(out, slices.Repeat([]string{"---"}, len(head)+len(steps)))
}

func printRow(out io.Writer, name string, all []sample) {
	last := all[len(all)-1]
	wall := timesOf(all, func(s sample) time.Duration { return s.wall })
	cells := []string{name, fmt.Sprint(last.poll.jobs), inMilliseconds(median(wall)), inMilliseconds(slices.Max(wall))}
	for _, of := range []func(sample) time.Duration{
		func(s sample) time.Duration { return s.own },
		func(s sample) time.Duration { return s.poll.own },
		func(s sample) time.Duration { return s.slurmrestd },
		func(s sample) time.Duration { return s.slurmctld },
		func(s sample) time.Duration { return s.postgres },
	} {
		cells = append(cells, inMilliseconds(mean(timesOf(all, of))))
	}
	var own, rest int64
	for _, s := range all {
		own, rest = max(own, s.ownRSS), max(rest, s.restRSS)
	}
	cells = append(cells, inMegabytes(last.poll.bytes), inMegabytes(own), inMegabytes(rest))
	for _, step := range steps {
		cells = append(cells, inMilliseconds(median(timesOf(all, func(s sample) time.Duration { return s.steps[step] }))))
	}
	printCells(out, cells)
}

func printCells(out io.Writer, cells []string) {
	fmt.Fprintln(out, "| "+strings.Join(cells, " | ")+" |")
}

func timesOf(all []sample, of func(sample) time.Duration) []time.Duration {
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

// inMilliseconds prints milliseconds, to a tenth where that matters.
func inMilliseconds(d time.Duration) string {
	v := d.Seconds() * 1000
	if v < 10 {
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}

func inMegabytes(bytes int64) string {
	v := float64(bytes) / 1e6
	if v < 10 {
		return fmt.Sprintf("%.1f MB", v)
	}
	return fmt.Sprintf("%.0f MB", v)
}
