// Package simulation is the commands that ask what other policies would have done: simulate, compare and trace.
package simulation

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"fairbridge/bridge/datafile"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
)

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
