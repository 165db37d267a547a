package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
)

func newQueueCommand(o *cli.Options) *cobra.Command {
	var partition string
	c := &cobra.Command{
		Use:   "queue",
		Short: "The ranked queue as of the last cycle, with reasons",
		Example: `  fairbridge queue
  fairbridge queue --partition gpu --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.LoadSettings()
			if err != nil {
				return err
			}
			db, err := cli.OpenDB(c.Context(), f)
			if err != nil {
				return err
			}
			defer db.Close()
			rows, err := db.Queue(c.Context(), f.Cluster, partition)
			if err != nil {
				return err
			}
			if o.JSON {
				return output.WriteJSON(c.OutOrStdout(), rows)
			}
			printQueue(c.OutOrStdout(), rows, time.Now())
			printCycleAges(c, f, db, rows)
			return nil
		},
	}
	c.Flags().StringVarP(&partition, "partition", "p", "", "only this partition")
	_ = c.RegisterFlagCompletionFunc("partition", completePartitionNames(o)) // fails only for a flag that is not there
	return o.AddJSONFlag(c)
}

// printCycleAges says of when the queue is, and warns when that is long ago.
func printCycleAges(c *cobra.Command, f *settings.File, db *stores.Stores, rows []journal.QueueRow) {
	rows = slices.CompactFunc(slices.Clone(rows), func(a, b journal.QueueRow) bool { return a.Partition == b.Partition })
	for _, r := range rows {
		last, err := db.ReadCycle(c.Context(), f.Cluster, r.Partition, 0)
		if err != nil {
			continue // the queue is there all the same
		}
		now := time.Now()
		text := fmt.Sprintf("Partition %s as of %s, %s ago.", r.Partition, output.FormatTime(last.At, now), output.FormatAge(now, last.At))
		if now.Sub(last.At) > maxCycleAge(f) {
			text += " No cycle since: is the daemon running? systemctl status fairbridge"
		}
		printable.Fprintf(c.OutOrStdout(), "\n")
		output.WriteParagraph(c.OutOrStdout(), "", text)
	}
}

// maxCycleAge is the age beyond which the last cycle says little of the present.
func maxCycleAge(f *settings.File) time.Duration { return 3*f.Interval + time.Minute }

// completePartitionNames offers the configured partitions to a shell.
func completePartitionNames(o *cli.Options) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		f, err := o.LoadSettings()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return f.PartitionNames(), cobra.ShellCompDirectiveNoFileComp
	}
}

func printQueue(w io.Writer, rows []journal.QueueRow, now time.Time) {
	if len(rows) == 0 {
		printable.Fprintf(w, "No cycle has been stored yet, or there are no GPU jobs.\n")
		return
	}
	t := output.NewTable(w, "PARTITION", "RANK", "JOB", "USER", "ACCOUNT", "GPUS", "STATE", "VERB", "AGE", "WHY")
	for _, r := range rows {
		t.AddRow(
			r.Partition, r.Rank, r.JobID, printable.Truncate(r.User, 12), printable.Truncate(r.Account, 14), r.GPUs, r.State, r.Verb, output.FormatAge(now, r.Arrive), r.Why,
		)
	}
	t.Print()
}
