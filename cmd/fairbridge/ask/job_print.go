package ask

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/report"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/startestimate"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

// PrintJobUse prints how a job used what it got.
func PrintJobUse(w io.Writer, j *report.JobUse, now time.Time) {
	last := j.Runs[len(j.Runs)-1]
	printable.Fprintf(w, "Job %s %q of %s (account %s), partition %s, %s, %s\n", j.Address, last.Name, last.User, last.Account, last.Partition, policy.FormatCount(last.GPUCount, "GPU"), last.State)
	if j.Estimate != nil {
		output.WriteParagraph(w, "  ", startestimate.EstimateText(j.Estimate, now))
	}
	if r := j.LastStartedRun(); r != nil {
		printRun(w, j, r, now)
	}
	printGPUs(w, j.GPUs)
	printable.Fprintf(w, "\nNotes\n")
	for _, n := range j.Notes() {
		output.WriteParagraph(w, "  * ", n)
	}
}

func printRun(w io.Writer, j *report.JobUse, r *report.RunUse, now time.Time) {
	printable.Fprintf(w, "  Started %s", output.FormatTime(r.Start, now))
	if !r.End.IsZero() {
		printable.Fprintf(w, ", ended %s", output.FormatTime(r.End, now))
	}
	if r.Nodes != "" {
		printable.Fprintf(w, ", on %s", printable.Truncate(r.Nodes, 40))
	}
	printable.Fprintf(w, "\n\n")
	of := func(part, all report.Seconds) policy.OptionalValue {
		if all <= 0 {
			return policy.OptionalValue{}
		}
		return policy.KnownValue(float64(part / all))
	}
	printShareBar(w, "GPU utilisation", of(r.BusyGPUTime, r.MeasuredGPUTime), fmt.Sprintf("%.1f of %.1f GPU-hours held", float64(r.BusyGPUTime)/3600, float64(r.GPUTime)/3600))
	printShareBar(w, "GPU memory", r.MemoryShare, "")
	if r.TimeLimit > 0 {
		printShareBar(w, "Time", of(r.Elapsed, r.TimeLimit), fmt.Sprintf("%s of %s", r.Elapsed, r.TimeLimit))
	} else {
		printable.Fprintf(w, "  %-16s %s, no limit\n", "Time", r.Elapsed)
	}
	if wait, ok := j.WaitTime(); ok {
		whole := report.Seconds(wait.Seconds())
		printShareBar(w, "Wait", of(whole, whole+r.Elapsed), fmt.Sprintf("%s before %s of work", whole, r.Elapsed))
	}
}

// printShareBar prints a part as a bar.
func printShareBar(w io.Writer, what string, part policy.OptionalValue, words string) {
	if !part.Known {
		printable.Fprintf(w, "  %-16s not measured\n", what)
		return
	}
	printable.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-16s [%s] %3.0f %%  %s", what, barText(part.Value, 30), 100*part.Value, words), " "))
}

// barText draws a part 0..1 with so many characters.
func barText(part float64, wide int) string {
	n := int(math.Round(min(max(part, 0), 1) * float64(wide)))
	return strings.Repeat("#", n) + strings.Repeat("-", wide-n)
}

func printGPUs(w io.Writer, all []report.GPUUseByRun) {
	if len(all) == 0 {
		return
	}
	printable.Fprintf(w, "\n")
	t := output.NewTable(w, "NODE", "GPU", "TYPE", "UTILISATION", "MEAN", "MOST", "MEMORY MOST")
	for _, g := range all {
		t.AddRow(g.Node, printable.Truncate(g.UUID, 16), g.Type, drawnShare(g.Busy), percentText(g.Busy), percentText(g.MaxBusy), percentText(g.MaxMemoryShare))
	}
	t.Print()
}

// drawnShare draws a part as a bar of a table.
func drawnShare(m policy.OptionalValue) string {
	if !m.Known {
		return strings.Repeat("?", 20)
	}
	return barText(m.Value, 20)
}

func percentText(m policy.OptionalValue) string {
	if !m.Known {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*m.Value)
}

const jobHelp = `Show a job's GPU utilisation, memory, time and wait as bars, each of its GPUs, and
notes that say what to change. What was not measured is unknown, never idle. What was
measured since the daemon last summed up is summed up first, where the database lets us.
Of a job that waits for its first start it says when that is estimated to be.
Exit status 3 when the job was never seen, or is not yours to see.

`

func newJobCommand(o *cli.Options, open opener) *cobra.Command {
	return &cobra.Command{
		Use:   "job JOB",
		Short: "How a job used what it got, and what to change next time",
		Long:  jobHelp + source.Rule,
		Example: `  fairbridge job 4711
  fairbridge job 4711_3        a task of an array
  fairbridge job 4711 --json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return answerAboutJob(c, o, open, a[0], source.Source.JobUse, func(j *report.JobUse, _ source.Source) {
				PrintJobUse(c.OutOrStdout(), j, time.Now())
			})
		},
	}
}
