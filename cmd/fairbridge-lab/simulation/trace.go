// Package simulation is the commands that ask what other policies would have done: simulate, compare and trace.
package simulation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/datafile"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// traceFlags are the flags of the trace commands.
type traceFlags struct {
	*cli.Options
	readOptions     trace.ReadOptions
	clusterSpec     string
	outputFile      string
	tablesFile      string
	mayReplaceFiles bool
}

// NewTraceCommand makes the command that looks into, makes and converts workloads.
func NewTraceCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:   "trace",
		Short: "Look at, convert and make up workloads for the simulator",
		Long: `Histories of clusters, published ones and your own, are workloads for
fairbridge-lab simulate and compare. They are read as they are; what is in a file
is found out from its content.

Formats:
` + formatsText(),
		Example: `  fairbridge-lab trace info philly.csv --cluster 32x8
  sacct -aP -o ` + sacctColumns + ` > jan.txt
  fairbridge-lab trace info jan.txt
  fairbridge-lab trace convert jan.txt --to jan.jsonl.gz
  fairbridge-lab trace generate day --gpus 256 --load 0.9 --to day.jsonl`,
	})
	c.AddCommand(newTraceInfoCommand(o), newTraceConvertCommand(o), newTraceGenerateCommand(o))
	return c
}

// sacctColumns are short enough for the help and enough for a simulation.
const sacctColumns = `JobID,State,Submit,Start,ElapsedRaw,User,Account,AllocTRES`

func formatsText() string {
	var b strings.Builder
	for _, f := range trace.Formats() {
		lead := fmt.Sprintf("  %-12s", f.Name)
		for word := range strings.FieldsSeq(f.Description) {
			if len(lead)+1+len(word) > 80 {
				b.WriteString(lead + "\n")
				lead = strings.Repeat(" ", 14)
			}
			lead += " " + word
		}
		b.WriteString(lead + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// addReadFlags gives a command the flags that say how to read a trace.
func (t *traceFlags) addReadFlags(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&t.readOptions.Format, "format", "auto", "format of the file, see fairbridge-lab trace --help")
	c.Flags().StringVar(&t.readOptions.ProfilesPath, "profiles", "", "folder with the profiles of a pollux file")
	c.Flags().BoolVar(&t.readOptions.SkipBad, "skip-bad", false, "pass over rows that make no sense, and count them")
	c.Flags().Float64Var(&t.readOptions.GPUsPerProc, "gpus-per-proc", 1, "GPUs that a processor of an swf file stands for")
	cli.SetRange(c, "gpus-per-proc", "0.001", "1000")
	trial.CompleteWords(c, "format", append([]string{"auto"}, trace.FormatNames()...)...)
	return c
}

// addWriteFlags gives a command the flags that say where to write one.
func (t *traceFlags) addWriteFlags(c *cobra.Command) *cobra.Command {
	c.Flags().StringVarP(&t.outputFile, "to", "o", "", "file to write, packed if it ends in .gz; - for standard output")
	c.Flags().BoolVar(&t.mayReplaceFiles, "force", false, "replace the file if it is there")
	return c
}

func (t *traceFlags) openTrace(path string) (*trace.Trace, error) {
	tr, err := trace.ReadFile(path, t.readOptions)
	var p workload.Problem
	if errors.As(err, &p) && p.Line > 0 && !t.readOptions.SkipBad {
		err = fmt.Errorf("%w\n(--skip-bad passes over such rows)", err)
	}
	return tr, err
}

// saveTrace writes the trace where the flags say, and tells what it wrote.
func (t *traceFlags) saveTrace(c *cobra.Command, tr *trace.Trace) error {
	if t.outputFile == "-" {
		return tr.Write(printable.NewJSONWriter(c.OutOrStdout()))
	}
	if err := explainExistingFile(tr.Save(t.outputFile, t.mayReplaceFiles)); err != nil {
		return err
	}
	printable.Fprintf(c.OutOrStdout(), "%s: %s\n", t.outputFile, policy.FormatCount(len(tr.Jobs), "job"))
	return nil
}

// explainExistingFile says what to do about a file that is there already.
func explainExistingFile(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return cli.NewUsageError(fmt.Errorf("%w; --force replaces it", err))
	}
	return err
}

// printSkipped tells on standard error what the trace left out.
func printSkipped(c *cobra.Command, tr *trace.Trace) {
	for _, why := range tr.IgnoredReasons() {
		printable.Fprintf(c.ErrOrStderr(), "left out: %d %s\n", tr.IgnoredByReason[why], why)
	}
	for _, err := range tr.FirstErrors {
		printable.Fprintf(c.ErrOrStderr(), "skipped: %v\n", err)
	}
	if more := tr.SkippedCount - len(tr.FirstErrors); more > 0 {
		printable.Fprintf(c.ErrOrStderr(), "skipped: %d more\n", more)
	}
	for _, n := range tr.Notes {
		printable.Fprintf(c.ErrOrStderr(), "note: %s\n", n)
	}
}

// NewSimulateCommand makes the command that runs policies on a workload.
func NewSimulateCommand(o *cli.Options) *cobra.Command {
	f := &simulateFlags{}
	c := &cobra.Command{
		Use:   "simulate --trace FILE --cluster SPEC --policy NAME[,NAME…]",
		Short: "What a policy would have done with a trace of jobs",
		Long: `Simulate a trace of jobs on a cluster under one or more policies and print what
came of it. Nothing is read but the files named, and nothing is changed.

` + simulateHelp,
		Example: `  fairbridge-lab simulate --trace history.csv --cluster 16x8:a100 --policy fifo,tiresias
  fairbridge-lab simulate --trace 120_32gpus.trace --tables throughputs_tacc.json \
      --cluster 32 --policy proportional,shockwave --json
  fairbridge-lab simulate --trace day.trace --cluster 8x4 --policy tiresias \
      --fidelity slurm
  fairbridge-lab simulate --trace day.trace --cluster 8x4 --policy fifo --per-job jobs.csv`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.simulate(c, o.JSON) },
	}
	f.addSharedFlags(c, "exact")
	f.addTraceFlags(c)
	return o.AddJSONFlag(c)
}

// simulate runs the policies one after the other, so that their wall times can be
// compared. One that fails costs the others nothing.
func (f *simulateFlags) simulate(c *cobra.Command, json bool) error {
	e, err := f.newTraceExperiment()
	if err != nil {
		return err
	}
	jobs, err := datafile.CreateFile(f.PerJobFile)
	if err != nil {
		return err
	}
	defer jobs.Discard()
	trial.PrintRemarks(c.ErrOrStderr(), e.Scenarios[0])
	all, err := trial.Run(c, e, 1)
	if err != nil {
		return err
	}
	var results []study.Result
	var failed error
	for _, r := range all {
		if r.Err != nil {
			failed = errors.Join(failed, r.Err)
			continue
		}
		results = append(results, r)
	}
	if len(results) == 0 {
		return failed
	}
	if err := jobs.Write(func(w io.Writer) error { return study.WriteJobOutcomes(w, results) }); err != nil {
		return err
	}
	if json {
		return errors.Join(output.WriteJSONLines(c.OutOrStdout(), newSimulationLines(e, results)), failed)
	}
	printable.Fprintf(c.OutOrStdout(), "%s\n%s\n\n", trial.DescribeExperiment(e), e.DescribeInformation())
	trial.PrintResults(c.OutOrStdout(), e.NewRows(results), 1, !e.HasTraining())
	printable.Fprintlines(c.OutOrStdout(), "\n"+trial.ResultsLegend)
	return failed
}

// simulationLine is what --json prints of a policy.
type simulationLine struct {
	measure.Summary
	trial.Knowledge
}

func newSimulationLines(e *study.Experiment, results []study.Result) []simulationLine {
	var lines []simulationLine
	for i := range results {
		lines = append(lines, simulationLine{results[i].Median, trial.NewKnowledge(e)})
	}
	return lines
}
