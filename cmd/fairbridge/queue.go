package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting"
)

func newQueue(o *options) *cobra.Command {
	var partition string
	c := &cobra.Command{
		Use:   "queue",
		Short: "The ranked queue as of the last cycle, with reasons",
		Example: `  fairbridge queue
  fairbridge queue --partition gpu --json`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.load()
			if err != nil {
				return err
			}
			db, err := openDB(c.Context(), f)
			if err != nil {
				return err
			}
			defer db.Close()
			rows, err := db.Queue(c.Context(), f.Cluster, partition)
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(c.OutOrStdout(), rows)
			}
			printQueue(c.OutOrStdout(), rows, time.Now())
			return nil
		},
	}
	c.Flags().StringVarP(&partition, "partition", "p", "", "only this partition")
	_ = c.RegisterFlagCompletionFunc("partition", o.completePartition) // fails only for a flag that is not there
	return o.reader(c)
}

// completePartition offers the configured partitions to a shell.
func (o *options) completePartition(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	f, err := o.load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return f.Names(), cobra.ShellCompDirectiveNoFileComp
}

func printQueue(w io.Writer, rows []accounting.QueueRow, now time.Time) {
	if len(rows) == 0 {
		fmt.Fprintln(w, "No cycle has been stored yet, or there are no GPU jobs.")
		return
	}
	t := newTable(w, "PARTITION", "RANK", "JOB", "USER", "ACCOUNT", "GPUS", "STATE", "VERB", "AGE", "WHY")
	for _, r := range rows {
		t.add(
			r.Partition, r.Rank, r.Job, short(r.User, 12), short(r.Account, 14), r.GPUs, r.State, r.Verb, since(now, r.Arrive), r.Why,
		)
	}
	t.print()
}
