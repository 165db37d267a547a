// Package recommendcommand is the command recommend: what the operators of a cluster could do. It
// does nothing itself.
package recommendcommand

import (
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/study/nodeneed"
	"fairbridge/cmd/fairbridge/jobsource"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
)

// NewCommand makes the command with its commands.
func NewCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:     "recommend",
		Short:   "What operators could do, from what jobs needed; changes nothing",
		Example: `  fairbridge recommend power --since 30d`,
	})
	c.AddCommand(newPowerCommand(o))
	return c
}

// powerFlags are those of recommend power.
type powerFlags struct {
	jobsource.Flags
	rules nodeneed.Rules
}

func newPowerCommand(o *cli.Options) *cobra.Command {
	f := &powerFlags{Flags: jobsource.Flags{Options: o}, rules: nodeneed.DefaultRules()}
	c := &cobra.Command{
		Use:   "power {--trace FILE --cluster SPEC | --since TIME}",
		Short: "Which nodes could be switched off, and what that would have saved",
		Long: `Forecasts how many nodes will be needed in the next hours, by the hour of workdays and
weekends and by what is needed now, and names nodes without jobs that could be off
meanwhile. Before, it tries the same rules on the past, forecasting at each moment from
what was known by then: how much of the time that nodes idled they could have been off,
how often some would have been switched on, and how many jobs would have waited for that.
What the past needed is simulated: its jobs in Slurm's own order with backfill.

It recommends, and nothing acts on it: to switch nodes off is for Slurm's power saving
(SuspendProgram, SuspendTime, SuspendExcNodes in slurm.conf) or for you. Two days of the
past are the least, a month is better.`,
		Example: `  fairbridge recommend power --since 30d
  fairbridge recommend power --since 30d -p gpu --spare 4
  fairbridge recommend power --trace jobs.csv --cluster 16x8:a100 --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.AddFlags(c)
	s := c.Flags()
	s.DurationVar(&f.rules.Ahead, "ahead", f.rules.Ahead, "how far ahead to forecast: nodes are off only if they are not needed for so long")
	s.DurationVar(&f.rules.Behind, "behind", f.rules.Behind, "nodes that were needed within so long stay on")
	s.IntVar(&f.rules.Spare, "spare", f.rules.Spare, "nodes that stay on besides")
	s.Float64Var(&f.rules.Margin, "margin", f.rules.Margin, "standard errors of the forecast that stay on")
	for _, r := range [][3]string{{"ahead", "10m", "168h"}, {"behind", "0s", "168h"}, {"spare", "0", "100000"}, {"margin", "0", "100"}} {
		cli.SetRange(c, r[0], r[1], r[2])
	}
	return o.AddJSONFlag(c)
}

func (f *powerFlags) run(c *cobra.Command) error {
	jobs, err := f.Read(c.Context())
	if err != nil {
		return err
	}
	past, err := nodeneed.Simulate(jobs.Scenario, jobs.Begin, f.rules.Step)
	if err != nil {
		return err
	}
	a := &answer{ahead: f.rules.Ahead.Round(time.Minute)}
	if a.Past, err = past.Savings(f.rules); err != nil {
		return err
	}
	if jobs.Now != nil {
		a.Now = past.Advise(f.rules, jobs.Now)
	}
	if f.JSON {
		return output.WriteJSON(c.OutOrStdout(), a)
	}
	a.print(c.OutOrStdout())
	return nil
}
