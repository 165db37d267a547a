// Package replaycommand is the command that decides a stored cycle again, or runs the site's own past under other policies.
package replaycommand

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/journal"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
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

func replayCycle(c *cobra.Command, o *cli.Options, partition string, seq uint64) error {
	f, err := o.LoadSettings()
	if err != nil {
		return err
	}
	if partition, err = ChoosePartition(f, partition); err != nil {
		return cli.NewUsageError(err)
	}
	db, err := cli.OpenDB(c.Context(), f)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := ReplayCycle(c.Context(), db.Journal, f.Cluster, partition, seq)
	if err != nil {
		return err
	}
	if o.JSON {
		err = output.WriteJSON(c.OutOrStdout(), r)
	} else {
		printCycleReplay(c.OutOrStdout(), r)
	}
	if err == nil && !r.IsSame {
		return cli.ErrFinding
	}
	return err
}

// ChoosePartition is the one that was named, or the only one there is.
func ChoosePartition(f *settings.File, name string) (string, error) {
	var names []string
	for i := range f.Partitions {
		if names = append(names, f.Partitions[i].Name); f.Partitions[i].Name == name {
			return name, nil
		}
	}
	switch {
	case name != "": // one that was configured once
		return name, nil
	case len(names) == 1:
		return names[0], nil
	}
	return "", fmt.Errorf("which partition? Name one of %s by --partition", strings.Join(names, ", "))
}

// maxDifferencesPrinted is how many jobs are shown to people.
const maxDifferencesPrinted = 10

// printCycleReplay says how the cycle compares.
func printCycleReplay(w io.Writer, r *Result) {
	params := ""
	if r.Params != "" {
		params = " (" + r.Params + ")"
	}
	printable.Fprintf(w, "Cycle %d of partition %s, %s: %s by %s%s, mode %s.\n",
		r.Cycle, r.Partition, r.DecidedAt.Local().Format(time.DateTime), policy.FormatCount(r.JobCount, "job"), r.Policy, params, r.Mode)
	switch {
	case r.IsSame && r.ComparedBytes:
		printable.Fprintf(w, "Decided again, it gives the same plan, byte for byte.\n")
		return
	case r.IsSame:
		printable.Fprintf(w, "Decided again, it gives the same decisions. An older release stored it, without what\nranks, reasons and memory could be compared with.\n")
		return
	case len(r.Differences) == 0:
		printable.Fprintf(w, "Decided again, it gives the same decisions, but ranks, reasons or what the policy\nremembers differ.\n")
	default:
		printable.Fprintf(w, "Decided again, it decides otherwise about %s:\n\n", policy.FormatCount(len(r.Differences), "job"))
		printDifferences(w, r)
	}
	printable.Fprintf(w, "\nPlan then %.12s, now %.12s. The policy has changed since, or it does not decide by its\nsnapshot alone.\n", r.RecordedDigest, r.ReplayedDigest)
}

func printDifferences(w io.Writer, r *Result) {
	t := output.NewTable(w, "JOB", "THEN", "NOW")
	for _, d := range r.Differences[:min(len(r.Differences), maxDifferencesPrinted)] {
		t.AddRow(d.Address, decisionText(d.Recorded), decisionText(d.Replayed))
	}
	t.Print()
	if n := len(r.Differences) - maxDifferencesPrinted; n > 0 {
		printable.Fprintf(w, "and %d more; --json has all\n", n)
	}
	if r.RefusedCount > 0 {
		printable.Fprintf(w, "\nThe gate turned %s down then; those are not compared.\n", policy.FormatCount(r.RefusedCount, "decision"))
	}
}

// decisionText puts a decision into words.
func decisionText(d *journal.RecordedDecision) string {
	if d == nil {
		return "not in the record"
	}
	s := string(d.Verb)
	if d.Placement != "" {
		s += " " + d.Placement
	} else if d.GPUs > 0 {
		s += " " + policy.FormatCount(d.GPUs, "GPU")
	}
	if d.ForJob != 0 {
		s += fmt.Sprintf(" for job %d", d.ForJob)
	}
	return s
}
