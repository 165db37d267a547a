// Package replaycommand is the command that decides a stored cycle again, or runs the site's own past under other policies.
package replaycommand

import (
	"errors"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/trial"
)

// NewCommand makes the command that decides a stored cycle again, or runs the site's own past under other policies.
func NewCommand(o *cli.Options) *cobra.Command {
	past := &replayFlags{}
	seq, partition := uint64(0), ""
	c := &cobra.Command{
		Use:   "replay {--cycle N | --since TIME --policy NAME[,NAME…]}",
		Short: "Decide a stored cycle again, or run your own history under other policies",
		Long: `Both read the database and change nothing in Slurm or in what is decided.

With --cycle, decide a stored cycle again from its snapshot with the policy and
parameters it had then, and say whether the plan is the same byte for byte, or where
it is not. Exit status 3 when it is not.

With --since, take the jobs that this cluster ran since then, as they arrived and as
long as they ran, and simulate them on its nodes: first under Slurm alone, compared
with what really happened, so that you see how far to trust the rest; then under each
of the policies. With --store the answer is kept, with its date and who asked, until
cycles are forgotten: it is what "fairbridge study" and the page Before/after show.

` + trial.SpecHelp,
		Example: `  fairbridge replay --cycle 4711
  fairbridge replay --cycle 0                     the last one
  fairbridge replay --since 30d --policy tiresias,gavel --html replay.html
  fairbridge replay --since 7d --policy fairbridge --per-job jobs.csv
  fairbridge replay --since 7d --policy slurm,fairbridge --store`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			cycle := c.Flags().Changed("cycle")
			if err := past.check(cycle); err != nil {
				return cli.NewUsageError(err)
			}
			if cycle {
				return replayCycle(c, o, partition, seq)
			}
			return past.replayPast(c, o, partition)
		},
	}
	f := c.Flags()
	f.Uint64Var(&seq, "cycle", 0, "number of the cycle; 0: the last")
	f.StringVarP(&partition, "partition", "p", "", "partition (default: the only one configured)")
	past.addFlags(c)
	return o.AddJSONFlag(c)
}

// check wants one thing to replay.
func (f *replayFlags) check(isOfCycle bool) error {
	switch isOfTime := f.since != ""; {
	case isOfCycle && isOfTime:
		return errors.New("--cycle decides one cycle again, --since simulates a time: give one of them")
	case f.isStored && !isOfTime:
		return errors.New("--store stores what became of a time: give --since, and not --cycle")
	case !isOfCycle && !isOfTime:
		return errors.New("say what to replay: --cycle N, or --since TIME --policy NAME; see --help")
	}
	return nil
}
