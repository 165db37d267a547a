// Package guardcommand is the command guard: the harm guard asked, looked at and overruled.
package guardcommand

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
)

// NewCommand makes the command with its commands.
func NewCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:   "guard",
		Short: "The harm guard: are jobs worse off than with Slurm alone?",
		Long: `While a partition is live, compare what its jobs really met (waits, slowdowns, idle GPUs,
stops) with what the simulation says Slurm alone would have done with the same jobs. A
partition whose harm exceeds the bounds of the configuration (guard), check after check
and beyond what the simulation may be off, is demoted to mode observe until a person
clears it. Where that comes from the days of a canary's candidate, the candidate alone is:
the partition's own policy decides on all days. What cannot be told changes nothing.

fairbridge-guard.timer runs guard check every hour. The daemon asks before each cycle
which partitions are demoted, and gives back what of ours stands in their jobs.`,
		Example: `  fairbridge guard check
  fairbridge guard show
  fairbridge guard demote gpu --why "looks wrong to me"
  fairbridge guard clear gpu --why "mended: see ticket 4711"`,
	})
	c.AddCommand(newCheckCommand(o), newShowCommand(o), newDemoteCommand(o), newClearCommand(o))
	return c
}

func newDemoteCommand(o *cli.Options) *cobra.Command {
	var why string
	var lasts time.Duration
	var isCanary bool
	c := &cobra.Command{
		Use:   "demote PARTITION",
		Short: "Lower a partition to mode observe now, without touching its configuration",
		Long: `Lower a partition to mode observe from the daemon's next cycle on, until guard clear or
for as long as --for says. What of ours stands in its jobs is given back. The other
partitions go on. With --canary the candidate of the partition's canary alone is demoted:
the partition's own policy decides on all days. Exit status 3 when it is demoted already.`,
		Example: `  fairbridge guard demote gpu --why "looks wrong to me"
  fairbridge guard demote gpu --for 12h --why "deadline week"
  fairbridge guard demote gpu --canary --why "gangs wait too long"`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			d := bridge.Demotion{Partition: args[0], Since: time.Now().UTC(), By: cli.PersonName(), Why: why}
			if lasts > 0 {
				d.Until = d.Since.Add(lasts)
			}
			return demote(c, o, d, isCanary)
		},
	}
	c.Flags().StringVar(&why, "why", "", "reason, for whoever asks later")
	c.Flags().BoolVar(&isCanary, "canary", false, "only the candidate of its canary")
	c.Flags().DurationVar(&lasts, "for", 0, "how long it lasts; 0: until guard clear")
	cli.SetRange(c, "for", "0s", "8760h")
	return o.AddJSONFlag(c)
}

func demote(c *cobra.Command, o *cli.Options, d bridge.Demotion, isCanary bool) error {
	file, db, err := openFor(c, o, d.Partition)
	if err != nil {
		return err
	}
	defer db.Close()
	if isCanary {
		if d.Candidate, err = candidateOf(file, d.Partition); err != nil {
			return err
		}
	}
	isNew, err := db.Demote(c.Context(), file.Cluster, d)
	if err != nil {
		return err
	}
	text := "From the daemon's next cycle on " + d.Text()
	if !isNew {
		text = fmt.Sprintf("Demoted already: %s. See fairbridge guard show.", d.Subject())
	}
	return answer(c, o, change{d.Partition, isNew, text})
}

// candidateOf is the candidate of a partition's canary.
func candidateOf(file *settings.File, partition string) (string, error) {
	loop, err := file.LoopConfig()
	if err != nil {
		return "", err
	}
	for i := range loop.Partitions {
		if p := &loop.Partitions[i]; p.Name == partition && p.Canary != nil {
			return p.Canary.Candidate(), nil
		}
	}
	return "", cli.NewUsageError(fmt.Errorf("--canary: partition %s has no canary", partition))
}

func newClearCommand(o *cli.Options) *cobra.Command {
	var why string
	c := &cobra.Command{
		Use:   "clear PARTITION",
		Short: "Let a demoted partition be as its configuration says again",
		Long: `End the demotion of a partition, and that of its canary's candidate. From the daemon's
next cycle on both are as the configuration says, and only checks after that count
against them. A mode that fairbridge operate lowered stays lowered. Exit status 3 when
nothing demotes either.`,
		Example: `  fairbridge guard clear gpu --why "weights mended: see ticket 4711"`,
		Args:    cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			file, db, err := openFor(c, o, args[0])
			if err != nil {
				return err
			}
			defer db.Close()
			cleared, err := db.ClearDemotion(c.Context(), file.Cluster, args[0], cli.PersonName(), why)
			if err != nil {
				return err
			}
			text := fmt.Sprintf("Partition %s is in the mode of its configuration again, and its canary decides if it has one, from the daemon's next cycle on.", args[0])
			if cleared {
				text, err = addStandingLowering(c.Context(), db, file.Cluster, args[0], text)
			}
			if err != nil {
				return err
			}
			if !cleared {
				text = fmt.Sprintf("Nothing demotes partition %s.", args[0])
			}
			return answer(c, o, change{args[0], cleared, text})
		},
	}
	c.Flags().StringVar(&why, "why", "", "reason, for whoever asks later")
	return o.AddJSONFlag(c)
}

// addStandingLowering says in place of the text, where an operator's lowering of the partition stands on, that it does.
func addStandingLowering(ctx context.Context, db *stores.Stores, cluster, partition, text string) (string, error) {
	active, err := db.ActiveDemotions(ctx, cluster)
	if d := bridge.FindDemotion(active, partition); d != nil {
		text = "The demotion is cleared, but another stands: " + d.Text()
	}
	return text, err
}

// openFor is open for a partition that is an argument.
func openFor(c *cobra.Command, o *cli.Options, partition string) (*settings.File, *stores.Stores, error) {
	return open(c.Context(), o, func(f *settings.File) error { return cli.CheckPartitionArgument(f, partition) })
}

// change is what a person changed.
type change struct {
	Partition string `json:"partition"`
	IsChanged bool   `json:"changed"`
	Text      string `json:"text"`
}

// answer prints the change, and returns cli.ErrFinding where nothing was changed.
func answer(c *cobra.Command, o *cli.Options, x change) error {
	var err error
	if o.JSON {
		err = output.WriteJSON(c.OutOrStdout(), x)
	} else {
		output.WriteParagraph(c.OutOrStdout(), "", x.Text)
	}
	if err == nil && !x.IsChanged {
		return cli.ErrFinding
	}
	return err
}
