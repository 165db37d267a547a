package simulation

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
)

func newTraceInfoCommand(o *cli.Options) *cobra.Command {
	t := &traceFlags{Options: o}
	c := o.AddJSONFlag(t.addReadFlags(&cobra.Command{
		Use:   "info FILE",
		Short: "What is in a trace: jobs, sizes, run times, who, and the load on a cluster",
		Example: `  fairbridge-lab trace info philly_jobs.csv
  fairbridge-lab trace info jan.txt --cluster 16x4:a100,8x8:h100
  fairbridge-lab trace info queue.json --format squeue-json --json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error { return t.printInfo(c, a[0]) },
	}))
	c.Flags().StringVar(&t.clusterSpec, "cluster", "", "cluster to compare with: NODESxGPUS[:TYPE], separated by commas")
	return c
}

func (t *traceFlags) printInfo(c *cobra.Command, path string) error {
	var nodes []policy.Node
	if t.clusterSpec != "" {
		var err error
		if nodes, err = cluster.ParseSpec(t.clusterSpec); err != nil {
			return cli.NewUsageError(err)
		}
	}
	tr, err := t.openTrace(path)
	if err != nil {
		return err
	}
	i := tr.InfoOnCluster(t.clusterSpec, nodes)
	if t.JSON {
		err = output.WriteJSON(c.OutOrStdout(), &i)
	} else {
		printTraceInfo(c.OutOrStdout(), &i)
		printSkipped(c, tr)
	}
	if err == nil && i.Misfits != "" {
		return cli.ErrFinding
	}
	return err
}

func printTraceInfo(w io.Writer, i *trace.Summary) {
	printable.Fprintf(w, "%s (%s): %s", i.Name, i.Format, policy.FormatCount(i.JobCount, "job"))
	if i.TrainingJobCount > 0 {
		printable.Fprintf(w, ", %d of them training by throughput tables", i.TrainingJobCount)
	}
	printable.Fprintf(w, "\narrivals    over %s", formatSeconds(i.ArrivalSpanSeconds))
	if !i.Start.IsZero() {
		printable.Fprintf(w, ", from %s UTC", i.Start.UTC().Format("2006-01-02 15:04"))
	}
	printable.Fprintf(w, "\nGPU time    %s\n", gpuTimeText(i))
	printJobShares(w, i)
	printJobSizes(w, i)
	printRunTimes(w, i)
	printAccounts(w, i)
	if i.Misfits != "" {
		printable.Fprintf(w, "\nCannot run on %s:\n", i.Cluster)
		printable.Fprintlines(w, i.Misfits)
	}
}

// gpuTimeText says how much GPU time the jobs want, as far as the trace knows.
func gpuTimeText(i *trace.Summary) string {
	if i.RunTimes == nil && i.GPUHours == 0 {
		return "unknown: run times stand in throughput tables"
	}
	digits := 0
	if i.GPUHours < 10 {
		digits = 1
	}
	s := fmt.Sprintf("%.*f GPU-hours", digits, i.GPUHours)
	switch {
	case i.ClusterGPUs > 0 && i.ArrivalSpanSeconds == 0:
		s += "; all jobs arrive at once"
	case i.ClusterGPUs > 0:
		s += fmt.Sprintf("; on the %s of %s a load of %.0f %%", policy.FormatCount(i.ClusterGPUs, "GPU"), i.Cluster, 100*i.Load)
	}
	return s
}

func printJobShares(w io.Writer, i *trace.Summary) {
	row := func(what string, share float64) {
		if share > 0 {
			printable.Fprintf(w, "%-11s %s of the jobs\n", what, formatPercent(share))
		}
	}
	row("failed", i.FailedShare)
	row("cancelled", i.CancelledShare)
	row("time limit", i.LimitedShare)
	row("deadline", i.DeadlineShare)
	for _, typ := range slices.Sorted(maps.Keys(i.JobsByGPUType)) {
		row("only "+typ, float64(i.JobsByGPUType[typ])/float64(i.JobCount))
	}
}

func formatPercent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// barWidth is the length of the bar of the whole.
const barWidth = 30

func formatBar(share float64) string {
	n := int(share*barWidth + .5)
	if n == 0 && share > 0 {
		return "▏"
	}
	return strings.Repeat("█", n)
}

func printJobSizes(w io.Writer, i *trace.Summary) {
	printable.Fprintf(w, "\n")
	t := output.NewTable(w, "GPUS", "JOBS", "OF JOBS", "OF GPU TIME", "")
	for _, s := range i.Sizes {
		t.AddRow(s.GPUs, s.JobCount, formatPercent(s.JobShare), formatPercent(s.GPUTimeShare), formatBar(s.JobShare))
	}
	t.Print()
}

func printRunTimes(w io.Writer, i *trace.Summary) {
	printable.Fprintf(w, "\n")
	if i.RunTimes == nil {
		printable.Fprintf(w, "Run times stand in throughput tables.\n")
		return
	}
	t := output.NewTable(w, "RUN TIME", "LEAST", "10 %", "25 %", "MEDIAN", "75 %", "90 %", "99 %", "MOST", "MEAN")
	r := i.RunTimes
	t.AddRow("", formatSeconds(r.Min), formatSeconds(r.P10), formatSeconds(r.P25), formatSeconds(r.Median), formatSeconds(r.P75), formatSeconds(r.P90), formatSeconds(r.P99), formatSeconds(r.Max), formatSeconds(r.Mean))
	t.Print()
}

// formatSeconds prints seconds as people say them.
func formatSeconds(seconds float64) string {
	return policy.FormatDuration(time.Duration(seconds * float64(time.Second)))
}

// maxAccountsPrinted is how many accounts are listed.
const maxAccountsPrinted = 10

func printAccounts(w io.Writer, i *trace.Summary) {
	if len(i.Accounts) == 0 {
		return
	}
	printable.Fprintf(w, "\n%s, %s\n", policy.FormatCount(i.UserCount, "user"), policy.FormatCount(len(i.Accounts), "account"))
	t := output.NewTable(w, "ACCOUNT", "WEIGHT", "JOBS", "GPU-HOURS", "")
	for _, a := range i.Accounts[:min(maxAccountsPrinted, len(i.Accounts))] {
		weight := "–"
		if a.Weight > 0 {
			weight = fmt.Sprintf("%g", a.Weight)
		}
		t.AddRow(a.Name, weight, a.JobCount, fmt.Sprintf("%.0f", a.GPUHours), formatBar(a.GPUHours/max(i.GPUHours, 1e-9)))
	}
	t.Print()
	if more := len(i.Accounts) - maxAccountsPrinted; more > 0 {
		printable.Fprintf(w, "… and %d more\n", more)
	}
}
