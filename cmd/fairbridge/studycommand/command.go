// Package studycommand is the command study: what policies would have done with the site's own jobs, as it was stored last.
package studycommand

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

const studyHelp = `Show what policies would have done with the jobs of each partition, as "fairbridge replay
--since 7d --store" simulated and stored it last: how old that is, of which days, how near
a simulation of what was done came to what happened, and each policy's figures. The page
Before/after shows the same. Nothing is simulated now.

Figures are of all jobs together. Where usage is private they are for operators; who had
them made, and what may name nodes or jobs, always is. Exit status 3 where none is stored.

`

// opener opens where answers come from.
type opener func(ctx context.Context, o *cli.Options) (source.Source, error)

// NewCommand makes the command study.
func NewCommand(o *cli.Options) *cobra.Command { return newCommand(o, source.Open) }

func newCommand(o *cli.Options, open opener) *cobra.Command {
	var partition string
	c := &cobra.Command{
		Use:   "study",
		Short: "What other policies would have done with your jobs, as stored last",
		Long:  studyHelp + source.Rule,
		Example: `  fairbridge replay --since 7d --policy slurm,fairbridge --store
  fairbridge study
  fairbridge study -p gpu --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return show(c, o, open, partition) },
	}
	c.Flags().StringVarP(&partition, "partition", "p", "", "only this partition")
	return o.AddURLFlag(o.AddJSONFlag(c))
}

func show(c *cobra.Command, o *cli.Options, open opener, partition string) error {
	s, err := open(c.Context(), o)
	if err != nil {
		return err
	}
	defer s.Close()
	var all *api.Studies
	err = source.AskInTurn(c.Context(), func() (err error) {
		all, err = s.Studies(c.Context())
		return err
	})
	if err != nil {
		return source.NewCommandError(s, err)
	}
	if err := keepPartition(all, partition); err != nil {
		return cli.NewUsageError(err)
	}
	if o.JSON {
		err = output.WriteJSON(c.OutOrStdout(), all)
	} else {
		printStudies(c.OutOrStdout(), all, time.Now())
	}
	if err == nil && !slices.ContainsFunc(all.Partitions, func(p api.PartitionStudy) bool { return p.Study != nil }) {
		return cli.ErrFinding
	}
	return err
}

// keepPartition leaves out all other partitions; "" none.
func keepPartition(all *api.Studies, partition string) error {
	if partition == "" {
		return nil
	}
	all.Partitions = slices.DeleteFunc(all.Partitions, func(p api.PartitionStudy) bool { return p.Partition != partition })
	if len(all.Partitions) == 0 {
		return fmt.Errorf("--partition %.40q: fairbridge looks after none of that name", partition)
	}
	return nil
}
