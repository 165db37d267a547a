package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

const queueHelp = `Print the jobs of the last cycle of each partition by rank, those that run too, with
what was decided and why, and below it of when that is. Nothing is asked of Slurm:
fairbridge plan decides afresh.

VERB is what was decided: start, keep (runs on), wait, hold (has room, but is kept
from passing) or stop (is requeued). AGE counts from submission. GPUS of an array that
waits are those of all its tasks: 12 (3x4) are three tasks of four.

With --estimates it shows instead when jobs that never ran are thought to start, in time
from now, as of the last stored estimate: one in ten such jobs before EARLY, half before
MIDDLE, one in ten after LATE. ESTIMATED is how long ago that was.`

func newQueueCommand(o *cli.Options) *cobra.Command {
	var partition string
	var showsEstimates bool
	c := &cobra.Command{
		Use:   "queue",
		Short: "The ranked queue as of the last cycle, with reasons",
		Long:  queueHelp,
		Example: `  fairbridge queue
  fairbridge queue --estimates
  fairbridge queue --partition gpu --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return answerQueue(c, o, partition, showsEstimates) },
	}
	c.Flags().StringVarP(&partition, "partition", "p", "", "only this partition")
	c.Flags().BoolVar(&showsEstimates, "estimates", false, "show when jobs are thought to start")
	_ = c.RegisterFlagCompletionFunc("partition", o.CompletePartitionNames()) // fails only for a flag that is not there
	return o.AddJSONFlag(c)
}

// answerQueue prints the queue.
func answerQueue(c *cobra.Command, o *cli.Options, partition string, showsEstimates bool) error {
	f, err := o.LoadSettings()
	if err != nil {
		return err
	}
	if err := cli.CheckPartitionName(f, partition); err != nil {
		return cli.NewUsageError(err)
	}
	db, err := cli.OpenDB(c.Context(), f)
	if err != nil {
		return err
	}
	defer db.Close()
	stored, err := db.Queue(c.Context(), f.Cluster, partition)
	if err != nil {
		return err
	}
	daemon, err := readDaemonState(c.Context(), db, f)
	if err != nil {
		return err
	}
	rows, cycles := newQueueRows(c.Context(), db, f.Cluster, stored)
	if err := addEstimates(c.Context(), db, f.Cluster, partition, rows); err != nil {
		return err
	}
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), withDoubts(rows, &daemon))
	}
	if err := printQueue(c.Context(), c.OutOrStdout(), db, f, partition, rows, showsEstimates); err != nil {
		return err
	}
	printCycles(c.OutOrStdout(), f, &daemon, cycles, time.Now())
	return nil
}

// queueRow is one job in the queue, with what its partition's last cycle shows of it.
type queueRow struct {
	journal.QueueRow
	Address   string   `json:"address"`              // the job as squeue writes it: 4711, 47_3, 47_[0-9]
	Tasks     int      `json:"tasks,omitempty"`      // of an array that waits unsplit
	NotPushed []string `json:"not_pushed,omitempty"` // why what was decided about it was not sent to Slurm
	// Estimate is when it is thought to start and end; nil: it ran already, or nothing is stored.
	Estimate *estimates.StoredEstimate `json:"estimate,omitempty"`
}

// partitionCycle is the last cycle of a partition.
type partitionCycle struct {
	partition string
	*lastCycle
}

// newQueueRows adds to the rows what the last cycle of each partition shows. Without one, as
// where its snapshot is not kept, the rows stand as they are.
func newQueueRows(ctx context.Context, db *stores.Stores, cluster string, stored []journal.QueueRow) (rows []queueRow, cycles []partitionCycle) {
	rows = []queueRow{}
	for _, q := range stored {
		if n := len(cycles); n == 0 || cycles[n-1].partition != q.Partition {
			last, _ := readLastCycle(ctx, db, cluster, q.Partition)
			cycles = append(cycles, partitionCycle{q.Partition, last})
		}
		row := queueRow{QueueRow: q, Address: fmt.Sprint(q.JobID)}
		if last := cycles[len(cycles)-1].lastCycle; last != nil {
			row.addLastCycle(last)
		}
		rows = append(rows, row)
	}
	return rows, cycles
}

// addLastCycle adds what the cycle shows of the job.
func (r *queueRow) addLastCycle(c *lastCycle) {
	for _, no := range c.refusalsOf(r.JobID, r.Why) {
		r.NotPushed = append(r.NotPushed, no.Why)
	}
	j := c.Snapshot.Job(r.JobID)
	if j == nil {
		return
	}
	r.Address, r.GPUs = j.Label(), gpuCountOf(j)
	if j.TaskCount() > 1 {
		r.Tasks = j.TaskCount()
	}
}

// withDoubts adds to every row what keeps the daemon from sending anything.
func withDoubts(rows []queueRow, daemon *daemonState) []queueRow {
	for i := range rows {
		rows[i].NotPushed = append(rows[i].NotPushed, daemon.doubtTexts(time.Now())...)
	}
	return rows
}

// printCycles says of when the queue is, why nothing of it was sent to Slurm, and warns when
// it is old.
func printCycles(w io.Writer, f *settings.File, daemon *daemonState, cycles []partitionCycle, now time.Time) {
	for _, c := range cycles {
		if c.lastCycle == nil {
			continue // the queue is there all the same
		}
		text := fmt.Sprintf("Partition %s as of %s, %s ago.", c.partition, output.FormatTime(c.At, now), output.FormatAge(now, c.At))
		if now.Sub(c.At) > f.MaxCycleAge() {
			text += " No cycle since: is the daemon running? systemctl status fairbridge"
		}
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", text)
		for _, why := range daemon.withoutDoubts(c.withheldReasons()) {
			output.WriteParagraph(w, "", "Nothing of it was sent to Slurm: "+why)
		}
	}
	daemon.printDoubts(w, now)
}

// printEmptyQueue says why there is no queue.
func printEmptyQueue(ctx context.Context, w io.Writer, db *stores.Stores, f *settings.File, partition string) error {
	at, ok, err := db.LastCycleAt(ctx, f.Cluster, partition)
	if err != nil {
		return err
	}
	text, now := "No cycle is stored yet: is the daemon running? systemctl status fairbridge. fairbridge plan decides without it.", time.Now()
	if ok {
		text = fmt.Sprintf("The last cycle, %s ago, saw no GPU jobs; there is one every %s.", output.FormatAge(now, at), policy.FormatDuration(f.Interval))
		if now.Sub(at) > f.MaxCycleAge() {
			text = fmt.Sprintf("The last cycle, %s ago, saw no GPU jobs. No cycle since: is the daemon running? systemctl status fairbridge", output.FormatAge(now, at))
		}
	}
	output.WriteParagraph(w, "", text)
	return nil
}

// printQueue prints the rows, or why there are none.
func printQueue(ctx context.Context, w io.Writer, db *stores.Stores, f *settings.File, partition string, rows []queueRow, showsEstimates bool) error {
	switch {
	case len(rows) == 0:
		return printEmptyQueue(ctx, w, db, f, partition)
	case showsEstimates:
		printQueueEstimates(w, rows, time.Now())
	default:
		printQueueReasons(w, rows, time.Now())
	}
	return nil
}

func printQueueReasons(w io.Writer, rows []queueRow, now time.Time) {
	t := output.NewTable(w, "PARTITION", "RANK", "JOB", "USER", "ACCOUNT", "GPUS", "STATE", "VERB", "AGE", "WHY")
	for _, r := range rows {
		why := r.Why
		for _, no := range r.NotPushed {
			why += "; not sent to Slurm: " + no
		}
		t.AddRow(
			r.Partition, r.Rank, r.Address, printable.Truncate(r.User, 12), printable.Truncate(r.Account, 14), gpusText(r.GPUs, r.Tasks), r.State, r.Verb, output.FormatAge(now, r.Arrive), why,
		)
	}
	t.Print()
}

// gpusText prints the GPUs of a job, and of an array that waits unsplit how they come about:
// "12 (6x2)".
func gpusText(gpus, tasks int) string {
	if tasks < 2 {
		return fmt.Sprint(gpus)
	}
	return fmt.Sprintf("%d (%dx%d)", gpus, tasks, gpus/tasks)
}
