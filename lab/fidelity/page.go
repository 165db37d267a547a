package fidelity

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"fairbridge/bridge/datafile"
	"fairbridge/policy"
)

// pageHead says what is compared and how.
//
//go:embed page.md
var pageHead string

// WritePage simulates what was run for real, as often with other seeds, and writes the page;
// the path "-" is the screen. commit is the program's that simulates.
func WritePage(path string, runs []RealRun, seeds int, commit string) error {
	all, err := Compare(runs, seeds)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString(pageHead)
	fmt.Fprintf(&b, "\nThe simulated runs below are of commit %s.\n", commit)
	writeWorth(&b, all)
	for i := range all {
		all[i].write(&b)
	}
	if path == "-" {
		_, err := b.WriteTo(os.Stdout)
		return err
	}
	return datafile.SaveFile(path, true, func(w io.Writer) error { _, err := b.WriteTo(w); return err })
}

// Compare groups real runs by stream, arm and release of Slurm and simulates each group with so many seeds.
func Compare(runs []RealRun, seeds int) ([]Comparison, error) {
	var out []Comparison
	for i := range runs {
		r := &runs[i]
		k := slices.IndexFunc(out, func(c Comparison) bool { return c.Stream.Name == r.Stream && c.Arm == r.Arm && c.Release == r.Release })
		if k < 0 {
			s, err := FindStream(r.Stream)
			if err != nil {
				return nil, err
			}
			out, k = append(out, Comparison{Stream: s, Arm: r.Arm, Release: r.Release}), len(out)
		}
		out[k].Real = append(out[k].Real, *r)
	}
	for i := range out {
		if err := out[i].simulate(seeds); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// simulate simulates what the real runs ran, one after the other.
func (c *Comparison) simulate(seeds int) error {
	for seed := range seeds {
		run, err := Simulate(&c.Stream, &c.Real[seed%len(c.Real)], int64(seed+1))
		if err != nil {
			return fmt.Errorf("simulating %s, %s: %w", c.Stream.Name, c.Arm, err)
		}
		c.Simulated = append(c.Simulated, *run)
	}
	return nil
}

// write writes the section of a comparison.
func (c *Comparison) write(b *bytes.Buffer) {
	var loads []float64
	var speeds []string
	for i := range c.Real {
		r := &c.Real[i]
		loads, speeds = append(loads, r.Load), append(speeds, fmt.Sprint(r.Speed))
	}
	fmt.Fprintf(b, "\n## %s, %s, Slurm %s\n\n%s. %d nodes with %d GPUs each; %s.\n%s, a second lasting %s s inside, at load %.0f to %.0f of the machine%s; a start cost %.2g s inside. %d simulated runs.\n\n",
		c.Stream.Name, c.Arm, c.Release, c.Stream.Title, c.Stream.NodeCount, c.Stream.GPUsPerNode, c.Arm.Title(), policy.FormatCount(len(c.Real), "real run"),
		joinDistinct(speeds), slices.Min(loads), slices.Max(loads), c.madeBy(), c.StartSeconds(), len(c.Simulated))
	b.WriteString("| | real | simulated | difference | allowed | |\n|---|---|---|---|---|---|\n")
	for _, r := range c.Rows() {
		if slices.Max(r.Real) == 0 && slices.Max(r.Simulated) == 0 {
			continue // no stops
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s (%+.1f %%) | %s | %s |\n", r.Name, formatSpread(r.Real), formatSpread(r.Simulated),
			formatFigure(r.SimulatedMean()-r.RealMean()), 100*(r.SimulatedMean()/r.RealMean()-1), formatFigure(r.Allowed()), map[bool]string{true: "within", false: "**beyond**"}[r.IsClose()])
	}
	among, across := c.OrderCorrelations()
	fmt.Fprintf(b, "\nOrder of first starts (Spearman): simulated against real %.3f", across)
	if len(c.Real) > 1 {
		fmt.Fprintf(b, ", real runs among each other %.3f", among)
	}
	b.WriteString(".\n")
}

// madeBy says which fairbridge ran beside the real Slurms: another one may decide otherwise.
func (c *Comparison) madeBy() string {
	if c.Arm == ArmAlone {
		return ""
	}
	var commits []string
	for i := range c.Real {
		commits = append(commits, c.Real[i].Commit)
	}
	return ", fairbridge of commit " + joinDistinct(commits)
}

// Title says it in words.
func (a Arm) Title() string {
	switch a {
	case ArmHolds:
		return "with fairbridge, order and holds"
	case ArmStops:
		return "with fairbridge, stops too"
	}
	return "Slurm by itself"
}

func formatSpread(v []float64) string {
	return fmt.Sprintf("%s (%s to %s)", formatFigure(stat.Mean(v, nil)), formatFigure(slices.Min(v)), formatFigure(slices.Max(v)))
}

func formatFigure(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func joinDistinct(values []string) string {
	var out []string
	for i, v := range values {
		if !slices.Contains(values[:i], v) {
			out = append(out, v)
		}
	}
	return strings.Join(out, ", ")
}
