package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/system"
	"fairbridge/policy"
)

func newReleaseCommand(o *cli.Options) *cobra.Command {
	var dry, verbose bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "release",
		Short: "Give back everything of ours that stands in Slurm",
		Long: `Give back everything of ours that stands in Slurm: leases end, order numbers
become neutral, node lists become the owners' again. Only values that are still
exactly what we wrote are touched, and no held job ever is. Stop the daemon first:
release waits until it leads itself. Works while a STOP file exists.`,
		Example: `  fairbridge release --dry-run --verbose
  systemctl stop fairbridge && fairbridge release`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := o.OpenSystem(c.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer s.DB.Close()
			news := c.ErrOrStderr()
			out, err := s.Release(c.Context(), system.ReleaseOptions{DryRun: dry, MaxWait: wait, Messages: news, OnProgress: newReleaseProgress(news, time.Now)})
			if out == nil {
				return err
			}
			if o.JSON {
				return errors.Join(output.WriteJSON(c.OutOrStdout(), out), err)
			}
			printReleased(c.OutOrStdout(), out, dry, verbose)
			return err
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only show what would be given back")
	c.Flags().BoolVar(&verbose, "verbose", false, "also list every edit")
	c.Flags().DurationVar(&wait, "wait", 3*time.Minute, "how long to wait for a daemon that still leads to end")
	cli.SetRange(c, "wait", "0s", "24h")
	return o.AddJSONFlag(c)
}

// progressInterval is how often long work says how far it is.
const progressInterval = 10 * time.Second

// newReleaseProgress returns what says now and then how far a release is and how long the rest
// takes at the pace so far.
func newReleaseProgress(w io.Writer, now func() time.Time) func(sent, left int) {
	var from, last time.Time
	return func(sent, left int) {
		if from.IsZero() {
			from, last = now(), now()
		}
		if now().Sub(last) < progressInterval {
			return
		}
		last = now()
		rest := last.Sub(from) / time.Duration(sent) * time.Duration(left)
		printable.Fprintf(w, "%d given back, %d to go, about %s\n", sent, left, policy.FormatDuration(rest))
	}
}

func printReleased(w io.Writer, out *push.ReleaseResult, dry, verbose bool) {
	done, failed := splitEditsByOutcome(out)
	switch n := len(out.Edits); {
	case n == 0 && len(out.UnprovenTops) > 0:
		printable.Fprintf(w, "Nothing stands in Slurm that is provably ours.\n")
	case n == 0 && len(out.Kept) == 0 && len(out.Holds) == 0 && out.OpenIntentCount == 0:
		printable.Fprintf(w, "Nothing of ours stands in Slurm.\n")
	case n == 0:
		printable.Fprintf(w, "Nothing of ours in Slurm can be given back now.\n")
	case dry:
		printable.Fprintf(w, "%s would give back what is ours%s.\n", policy.FormatCount(n, "edit"), editCountsText(done))
	default:
		printable.Fprintf(w, "%s gave back what was ours%s.\n", policy.FormatCount(len(done), "edit"), editCountsText(done))
	}
	if verbose {
		for _, e := range done {
			printable.Fprintf(w, "  %s\n", output.FormatEdit(e, e.Address, time.Now()))
		}
	}
	for _, in := range failed {
		printable.Fprintf(w, "  not so: %v: %s: %s\n", in.Edit, in.State, in.Error)
	}
	if n := len(out.Kept); n > 0 {
		output.WriteParagraph(w, "", fmt.Sprintf("%s in jobs that run, where Slurm lets them be changed no more, or that a person holds, which we do not "+
			"touch; they matter only if such a job waits again: release again then. The first: %v", keptInSlurmText(n), out.Kept[0]))
	}
	if jobs := out.UnprovenTops; len(jobs) > 0 {
		output.WriteParagraph(w, "", fmt.Sprintf("The nice of jobs %v was changed after us, as by scontrol top, and a "+
			"number of ours may be part of it. Which part cannot be told: it stays. To end it: scontrol update "+
			"jobid=ID nice=0", jobs))
	}
	for _, d := range out.Holds {
		output.WriteParagraph(w, "", unfinishedHandBackText(d, time.Now()))
	}
	if out.OpenIntentCount > 0 {
		printable.Fprintf(w, "What became of %s is not known yet: run release again in five minutes.\n", policy.FormatCount(out.OpenIntentCount, "earlier change"))
	}
	if dry && len(out.Edits) > 0 {
		printable.Fprintf(w, "Nothing was changed (--dry-run).\n")
	}
}

// splitEditsByOutcome tells the edits that did what they were for from those that did not;
// before they were sent, all of them will.
func splitEditsByOutcome(out *push.ReleaseResult) (done []slurm.Edit, failed []bridge.Intent) {
	for i, e := range out.Edits {
		if i < len(out.Intents) && out.Intents[i].Error != "" {
			failed = append(failed, out.Intents[i])
		} else {
			done = append(done, e)
		}
	}
	return done, failed
}

// editCountsText says how many edits of each kind there are: ": 3 lease, 12 site_factor".
func editCountsText(edits []slurm.Edit) string {
	counts := map[slurm.EditKind]int{}
	for _, e := range edits {
		counts[e.Kind]++
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// unfinishedHandBackText tells of a hand-back that was cut off.
func unfinishedHandBackText(d ledger.UnfinishedHandBack, now time.Time) string {
	if d.Ours {
		return fmt.Sprintf("Job %s is held by us: a hand-back sent at %s was cut off. It is released with the next try, or by %s.",
			d.RunText(), output.FormatTime(d.Sent, now), d.ReleaseCommand())
	}
	return fmt.Sprintf("Job %s is held, by an administrator or by a hand-back of ours that was cut off at %s: %s, unless an administrator means it.",
		d.RunText(), output.FormatTime(d.Sent, now), d.ReleaseCommand())
}

func keptInSlurmText(n int) string {
	if n == 1 {
		return "1 value stays"
	}
	return fmt.Sprintf("%d values stay", n)
}
