package replaycommand

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/journal"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/cyclereplay"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

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
	r, err := cyclereplay.ReplayCycle(c.Context(), db.Journal, f.Cluster, partition, seq)
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
func printCycleReplay(w io.Writer, r *cyclereplay.Result) {
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

func printDifferences(w io.Writer, r *cyclereplay.Result) {
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
