package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge"
	"fairbridge/cmd/internal/cli"
	"fairbridge/replica/study"
)

// sizeFlags say how far plans reach a simulated Slurm, and which jobs leave their number of GPUs to us. The zero sizeFlags
// change nothing.
type sizeFlags struct {
	mode         string  // "": preempt
	elasticShare float64 // of jobs; negative: as the jobs say
}

// modes are those in which a plan reaches Slurm.
var modes = []bridge.Mode{bridge.ModeRank, bridge.ModeSteer, bridge.ModePreempt, bridge.ModeElastic}

// modeNames are their names.
func modeNames() []string {
	var names []string
	for _, m := range modes {
		names = append(names, string(m))
	}
	return names
}

// addMode adds --mode.
func (f *sizeFlags) addMode(c *cobra.Command) {
	f.elasticShare = -1
	c.Flags().
		StringVar(&f.mode, "mode", "", "with fidelity slurm: how much of a plan reaches Slurm: "+strings.Join(modeNames(), ", ")+";\nin mode elastic jobs with a range may get another number of GPUs than they ask (default preempt)")
	cobra.CheckErr(
		c.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions(modeNames(), cobra.ShellCompDirectiveNoFileComp)),
	)
}

// addShare adds --elastic.
func (f *sizeFlags) addShare(c *cobra.Command) {
	c.Flags().
		Float64Var(&f.elasticShare, "elastic", -1, "which part of the jobs that fit on one node declares that it runs on half to twice the\nGPUs it asks for, drawn by seed and job, with Amdahl's speeds, which it reports; the\nothers are rigid; 0 to 1 (default: as the jobs say)")
	cli.SetRange(c, "elastic", "0", "1")
}

// setMode sets the mode of the experiment.
func (f *sizeFlags) setMode(e *study.Experiment) error {
	switch {
	case f.mode == "":
		return nil
	case !slices.Contains(modes, bridge.Mode(f.mode)):
		return cli.NewUsageError(
			fmt.Errorf("mode %q is unknown, there are %s", f.mode, strings.Join(modeNames(), ", ")),
		)
	case !e.ThroughSlurm:
		return cli.NewUsageError(
			errors.New(
				"--mode says how much of a plan reaches Slurm: add --fidelity slurm, or leave it out; exactly, sizes always act",
			),
		)
	}
	if e.Mode = bridge.Mode(f.mode); e.Mode == bridge.ModePreempt {
		e.Mode = "" // the same, and kept runs are found by it
	}
	return nil
}

// declareRanges lets a part of the jobs of each scenario declare a range, by --elastic; the scenarios
// given stay as they are.
func (f *sizeFlags) declareRanges(scenarios []*study.Scenario, seed int64, reports study.JobReports) []*study.Scenario {
	if f.elasticShare < 0 {
		return scenarios
	}
	var out []*study.Scenario
	for i, s := range scenarios {
		drawn := *s
		drawn.Jobs = slices.Clone(s.Jobs)
		drawn.SetElasticShare(f.elasticShare, seed+int64(i))
		if reports == study.NoneReports {
			reports.SetReports(drawn.Jobs)
		}
		out = append(out, &drawn)
	}
	return out
}
