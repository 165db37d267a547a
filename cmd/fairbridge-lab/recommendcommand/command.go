// Package recommendcommand is the command recommend: what the operators of a cluster could do. It
// does nothing itself.
package recommendcommand

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge-lab/jobsource"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/lab/nodeneed"
	"fairbridge/policy"
)

// NewCommand makes the command with its commands.
func NewCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:     "recommend",
		Short:   "What operators could do, from what jobs needed; changes nothing",
		Example: `  fairbridge-lab recommend power --since 30d`,
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
		Example: `  fairbridge-lab recommend power --since 30d
  fairbridge-lab recommend power --since 30d -p gpu --spare 4
  fairbridge-lab recommend power --trace jobs.csv --cluster 16x8:a100 --json`,
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

// answer is what is recommended, and what it would have brought.
type answer struct {
	Now   []nodeneed.Advice `json:"now"` // null: nothing is known of now
	Past  []nodeneed.Saving `json:"past"`
	ahead time.Duration
}

func (a *answer) print(w io.Writer) {
	if len(a.Now) > 0 {
		printable.Fprintf(w, "Could be off for the next %s (nothing is switched by this):\n\n", policy.FormatDuration(a.ahead))
		t := output.NewTable(w, "GPUS", "NODES", "NEEDED", "EXPECTED AT MOST", "COULD BE OFF")
		for _, x := range a.Now {
			t.AddRow(x.Group, x.Total, x.Needed, fmt.Sprintf("%.1f", x.Expected), nodeList(x.Off))
		}
		t.Print()
		printable.Fprintf(w, "\n")
	}
	printable.Fprintf(w, "The same rules on the past:\n\n")
	t := output.NewTable(w, "GPUS", "NODES", "DAYS", "IDLE NODE-HOURS", "OFF", "WAKE-UPS A DAY", "STARTS THAT WAIT FOR A BOOT")
	for _, x := range a.Past {
		t.AddRow(x.Group, x.Nodes, fmt.Sprintf("%.1f", x.Days), fmt.Sprintf("%.0f", x.IdleNodeHours), percent(x.OffNodeHours, x.IdleNodeHours),
			fmt.Sprintf("%.1f", float64(x.WakeUps)/max(x.Days, 1)), fmt.Sprintf("%d of %d", x.LateStarts, x.Starts))
	}
	t.Print()
}

func percent(part, of float64) string { return fmt.Sprintf("%.0f %%", 100*part/max(of, 1)) }

func nodeList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ",")
}
