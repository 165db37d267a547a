// Package guardcommand is the command guard: the harm guard asked, looked at and overruled.
package guardcommand

import (
	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
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
